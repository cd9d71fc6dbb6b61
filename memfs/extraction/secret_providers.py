"""Keys and tokens in the formats that their issuers document: each a needle, and the pattern around it.

A needle is a part that every such key has; where it is not in a text its pattern is not tried, so a long list
costs little. Lengths are given with some room, since issuers make their keys longer over the years.
"""

from __future__ import annotations

import re

from memfs.extraction.placeholders import Replacer, group

_W = "[A-Za-z0-9_-]"
_A = "[A-Za-z0-9]"
_H = "[a-fA-F0-9]"
_UUID = "[a-f0-9]{8}(?:-[a-f0-9]{4}){3}-[a-f0-9]{12}"
_MIXED = rf"(?={_W}{{0,220}}[0-9])(?={_W}{{0,220}}[A-Z])"  # "sk-" and "secret-" also begin words with hyphens

_FORMATS: tuple[tuple[str, str], ...] = (
    # models
    ("sk-", rf"sk-(?:ant-|proj-|or-v1-|svcacct-|admin-|lf-)?{_MIXED}{_W}{{16,220}}"),
    ("sk-", rf"sk-(?:(?:or-v1-|lf-)?[a-f0-9-]{{32,70}}|{_A}{{20,220}})"),
    ("hf_", rf"(?:hf|api_org)_{_A}{{20,60}}"),
    ("AIza", rf"AIza{_W}{{30,45}}"),
    ("gsk_", rf"gsk_{_A}{{24,120}}"),
    ("xai-", rf"xai-{_MIXED}{_W}{{24,120}}"),
    ("pplx-", rf"pplx-{_A}{{24,120}}"),
    ("nvapi-", rf"nvapi-{_MIXED}{_W}{{24,120}}"),
    ("tvly-", rf"tvly-(?:dev-|prod-)?{_A}{{20,120}}"),
    ("csk-", rf"csk-{_A}{{24,120}}"),
    ("r8_", rf"r8_{_A}{{24,120}}"),
    ("fw_", rf"fw_{_A}{{20,120}}"),
    ("jina_", rf"jina_{_A}{{24,120}}"),
    ("lsv2_", r"lsv2_(?:pt|sk)_[a-f0-9]{32}_[a-f0-9]{10}"),
    # clouds
    ("A", r"(?:AKIA|ASIA|AROA|AIDA|ABIA|ACCA)[A-Z0-9]{16}(?![A-Za-z0-9])"),
    ("amzn.mws.", rf"amzn\.mws\.{_UUID}"),
    ("LTAI", rf"LTAI{_A}{{12,30}}"),
    ("AKID", rf"AKID{_A}{{24,50}}"),
    ("ya29.", rf"ya29\.{_W}{{20,400}}"),
    ("GOCSPX-", rf"GOCSPX-{_W}{{20,40}}"),
    ("1//0", rf"1//0{_W}{{30,200}}"),
    ("Q~", r"[A-Za-z0-9_.~-]{3}\dQ~[A-Za-z0-9_.~-]{31,40}"),
    ("do", r"do[opr]_v1_[a-f0-9]{40,80}"),
    ("dapi", r"dapi[a-f0-9]{32}(?:-\d)?"),
    ("hv", rf"hv[sbr]\.{_W}{{20,300}}"),
    (".atlasv1.", rf"{_A}{{14}}\.atlasv1\.{_W}{{40,90}}"),
    ("HRKU-", rf"HRKU-{_W}{{30,80}}"),
    ("FlyV1", r"FlyV1 fm\d_[A-Za-z0-9+/=,_-]{40,2000}"),
    ("fo1_", rf"fo1_{_W}{{40,60}}"),
    ("nfp_", rf"nfp_{_A}{{30,60}}"),
    ("vc", rf"vc[pika]_{_A}{{24,60}}"),
    ("pul-", r"pul-[a-f0-9]{40}"),
    ("dp.", rf"dp\.(?:pt|st|ct|sa|scim|audit)\.(?:[a-z0-9_-]{{2,35}}\.)?{_A}{{40,50}}"),
    ("tskey-", rf"tskey-[a-z]{{2,12}}-{_W}{{16,80}}"),
    ("dt0", r"dt0[a-z]\d{2}\.[A-Z0-9]{24}\.[A-Z0-9]{64}"),
    ("v1.0-", r"v1\.0-[a-f0-9]{24}-[a-f0-9]{100,160}"),
    # code, packages, builds
    ("gh", rf"gh[pousr]_{_A}{{20,255}}"),
    ("github_pat_", r"github_pat_[A-Za-z0-9_]{20,255}"),
    ("gl", r"gl(?:pat|dt|rt|rtr|ptt|cbt|ft|soat|agent|imt|ffct)-[A-Za-z0-9_.-]{16,120}"),
    ("ATATT", rf"ATATT3{_W}{{100,250}}=?[A-F0-9]{{0,8}}"),
    ("AT", rf"AT(?:BB|CTT3){_W}{{24,250}}=?[A-F0-9]{{0,8}}"),
    ("npm_", rf"npm_{_A}{{30,60}}"),
    ("pypi-", rf"pypi-{_W}{{40,300}}"),
    ("rubygems_", r"rubygems_[a-f0-9]{40,60}"),
    ("dckr_", rf"dckr_(?:pat|oat)_{_W}{{24,60}}"),
    ("CLOJARS_", rf"CLOJARS_{_A}{{50,70}}"),
    ("AKCp", rf"AKCp{_A}{{50,90}}"),
    ("bkua_", rf"bkua_{_A}{{36,50}}"),
    ("CCIPAT_", rf"CCIPAT_{_A}{{20,24}}_[a-f0-9]{{40}}"),
    ("lin_", rf"lin_(?:api|oauth)_{_A}{{32,80}}"),
    ("figd_", rf"fig(?:d|o|r|u)_{_W}{{30,60}}"),
    ("PMAK-", r"PMAK-[a-f0-9]{24}-[a-f0-9]{34}"),
    ("sbp_", r"sbp_[a-f0-9]{40}"),
    ("sb_secret_", rf"sb_secret_{_W}{{20,60}}"),
    ("pscale_", r"pscale_(?:tkn|pw|oauth)_[A-Za-z0-9_=.-]{30,70}"),
    ("CFPAT-", rf"CFPAT-{_W}{{40,50}}"),
    ("ops_eyJ", rf"ops_eyJ{_W}{{100,2000}}"),
    # talk, mail, notes
    ("xox", r"xox[abeoprs](?:\.xox[bp])?-[A-Za-z0-9-]{10,250}"),
    ("xapp-", r"xapp-[A-Za-z0-9-]{10,250}"),
    (":AA", rf"\d{{8,10}}:AA{_W}{{30,40}}"),
    (".", rf"[MNO]{_W}{{23,27}}\.{_W}{{6}}\.{_W}{{27,45}}"),
    ("SG.", rf"SG\.{_W}{{16,40}}\.{_W}{{20,60}}"),
    ("key-", r"key-[a-f0-9]{32}(?![a-f0-9])"),
    ("-us", r"[a-f0-9]{32}-us\d{1,2}"),
    ("re_", rf"re_{_A}{{6,12}}_{_A}{{20,30}}"),
    ("ntn_", rf"ntn_{_A}{{40,60}}"),
    ("secret_", rf"secret_{_A}{{40,50}}"),
    ("pat", rf"pat{_A}{{14}}\.[a-f0-9]{{64}}"),
    ("pat-", rf"pat-(?:na|eu|ap)\d-{_UUID}"),
    ("sl.", rf"sl\.(?:u\.)?{_W}{{100,2000}}"),
    ("SK", r"(?:SK|AC)[a-f0-9]{32}(?![A-Za-z0-9])"),
    # money, shops
    ("k", r"(?:sk|rk|tk|ak)[-_](?:live|test|prod)[-_][A-Za-z0-9]{10,120}"),
    ("pk", r"pk[-_](?:live|test|prod)[-_][A-Za-z0-9]{10,120}"),
    ("whsec_", r"whsec_[A-Za-z0-9+/=]{16,80}"),
    ("shp", r"shp(?:at|ca|pa|ss|tka)_[a-fA-F0-9]{20,60}"),
    ("sq0", rf"sq0[a-z]{{3}}-{_W}{{22,60}}"),
    ("EAAA", rf"EAAA{_W}{{58,62}}"),
    ("FLWSECK", rf"FLWSECK(?:_TEST)?-{_A}{{20,60}}"),
    ("rzp_", rf"rzp_(?:live|test)_{_A}{{14,30}}"),
    ("shippo_", r"shippo_(?:live|test)_[a-f0-9]{40}"),
    ("access-", rf"access-(?:sandbox|development|production)-{_UUID}"),
    # watching
    ("NR", rf"NR(?:AK|RA|II|JS|IQ)-{_A}{{18,60}}"),
    ("sntry", r"sntry[su]_[A-Za-z0-9+/=_-]{40,500}"),
    ("gl", r"gl(?:sa|c)_[A-Za-z0-9+/=_-]{32,400}"),
    ("ph", rf"ph[xs]_{_A}{{40,60}}"),
    ("EAA", rf"EAA(?:CEdEose0cBA|[A-Z]{{2}}){_A}{{60,300}}"),
    # keys to files
    ("AGE-SECRET-KEY-", r"AGE-SECRET-KEY-1[A-Z0-9]{40,80}"),
)

# (needle in lower case, pattern, what replaces a match) of every issuer's format.
PROVIDERS: tuple[tuple[tuple[str, ...], re.Pattern[str], Replacer], ...] = tuple(
    ((needle.lower(),), re.compile(rf"(?<![A-Za-z0-9_])(?P<secret>{body})"), group("api key"))
    for needle, body in _FORMATS
)
