"""Whether a name is that of a person or of a firm."""

from __future__ import annotations

import re

PEOPLE, FIRMS = "people", "organisations"

_FIRM = re.compile(
    r"(?:^|[\s,])(?:GmbH|AG|SE|KG|e\.?V|Ltd|Limited|Inc|LLC|LLP|PLC|Corp|Corporation|Co|Company|S\.?A|SARL|SAS|S\.?L|"
    r"SpA|BV|NV|Oy|AB|ApS|Pty|Labs?|Studios?|Systems|Software|Solutions|Technologies|Robotics|Logistics|Foods|"
    r"Bank|Group|Holdings?|Partners|Foundation|University|College|School|Hospital|Clinic|Bakery|Caf[eé]|"
    r"Restaurant|Hotel|Books|Bookshop|Press|Publishing|Media|Insurance|Energy|Motors|Airlines|Agency|Council)\.?$"
)
_WIDE_FIRM = re.compile(
    r"(?:(?![在的是去开管和跟找有到给说用从把负住])[\u3040-\u30ff\u3400-\u9fffA-Za-z]){0,4}?(?:公司|集团|工作室|事务所|基金会|银行|医院|学校|大学|餐厅|会社|商店|酒店|书店|店"
    r"|屋|馆|厂|社)(?![里内的门上长员主])"
)
_FIRM_ROLE = re.compile(
    r"(?i)\b(?:client|customer|supplier|vendor|publisher|investor|contractor|agency|bank|insurer)s?\b|客户|供应商|甲方|乙方"
)
_AS_ONE = re.compile(r"(?i)\b(?:its|it|it's|they|their|them|they're)\b|它")
_AS_PERSON = re.compile(r"(?i)\b(?:he|she|his|her|him|who|mr|mrs|ms|dr)\b|[他她]|先生|女士|老师")


def kind_of(name: str, said: str) -> tuple[str, str]:
    """The name as it is in full, and the category to file it under, from the words ``said`` of it."""
    after = said.find(name) + len(name)
    whole = _WIDE_FIRM.match(said, after) if name and name[-1] > "\u2e7f" else None
    if whole is not None:
        return name + whole[0], FIRMS
    if _FIRM.search(name):
        return name, FIRMS
    spoken = _FIRM_ROLE.search(said) and _AS_ONE.search(said) and not _AS_PERSON.search(said)
    return name, FIRMS if spoken else PEOPLE
