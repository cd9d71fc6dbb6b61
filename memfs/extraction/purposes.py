"""What a decision on a listed topic is decided for: "PostgreSQL for the billing service", 官网部署在 Netlify.

Two choices of a database stand side by side when they are made for two things; so the thing is part of the topic.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

LONGEST = 40  # characters
_ARTICLE = r"(?:the|our|my|its|their|his|her|this|that|an?) "
_END = r"(?=\s*(?:$|[,;:.!?()–—]|\b(?:{stop})\b))"
_STOP = (
    "and|or|but|with|on|in|at|to|from|by|as|so|because|since|when|while|until|after|before|instead|rather|not|only|"
    "now|then|again|too|also|later|soon|first|already|only|is|are|was|will|should|goes|go|stays|uses?|using|runs?|we|i|"
    "that|which|where|over|via|through|if|unless|than|for|of|this|next|starting|today|tomorrow"
)
_THING = (
    rf"(?P<thing>(?:(?!(?:{_STOP})\b)[^\W_][\w.'’/-]*)(?: (?!(?:{_STOP})\b)[^\W_][\w.'’/-]*){{0,3}}?)"
    + _END.replace("{stop}", _STOP)
)
# The last word of what is built, run or kept.
_MADE = (
    "(?:app|application|product|(?:web|micro)?sites?|(?:web)?shop|store|services?|microservice|tools?|platform|portal|system|"
    "library|package|plugin|bot|game|podcast|blog|newsletter|dashboard|apis?|backend|frontend|pipeline|repo|server|"
    "worker|jobs?|crawler|scraper|exporter|importer|engine|cli|scripts?|tracker|planner|firmware|wiki|forum|marketplace|"
    "calendar|client|module|project|catalogue|catalog|cache|queue|archive|index|search|docs|prototype|demo|component)"
)
_PUT = (
    "(?:host(?:ing|ed)?|deploy(?:ing|ed)?|run(?:ning)?|ran|mov(?:e|ing|ed)|migrat(?:e|ing|ed)|put(?:ting)?|keep(?:ing)?|"
    "kept|stor(?:e|ing|ed)|build(?:ing)?|built|writ(?:e|ing)|wrote|rewrit(?:e|ing)|rewrote|serv(?:e|ing|ed)|"
    "switch(?:ing|ed)?|port(?:ing|ed)?|rebuil(?:d|ding|t))"
)
_KIND = "(?:databases?|db|storage|hosting|hosts?|framework|ci)"
_PATTERNS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"\bfor (?:{_ARTICLE})?{_THING}",
        rf"\b(?:{_KIND}|store|backend|pipeline) (?:of|behind|under) (?:{_ARTICLE})?{_THING}",
        rf"\b{_PUT} (?:{_ARTICLE}|(?=(?:[\w-]+ ){{0,3}}{_MADE}\b)){_THING}",
        rf"\b(?:in|inside|within|on|behind|under) {_ARTICLE}(?=(?:[\w-]+ ){{0,3}}{_MADE}\b){_THING}",
        rf"(?:^|[,;:] )(?:{_ARTICLE})?(?=(?:[\w-]+ ){{0,3}}{_MADE}\b){_THING}",
        rf"\b{_ARTICLE}(?P<thing>(?:[\w-]+ ){{0,2}}[\w-]+)['’]s {_KIND}\b",
        rf"\bas {_ARTICLE}(?P<thing>(?:[\w-]+ ){{0,2}}[\w-]+) {_KIND}\b",
    )
)
# Words after "for" and the like that name no thing: how long, why, whom; or no certain one.
_NO_THING = re.compile(
    r"(?i)^(?:now|good|ever|long|free|it|them|us|me|you|everything|everyone|anything|all|both|each|every|any|some|these|"
    r"those|sure|certain|example|instance|real|what|how|moment|time|rest|sake|future|meantime|foreseeable|same|following|"
    r"most|least|more|less|once|production|here|there|one|lack|fear|fun|main|primary|default|only|central|\d.*)\b"
    r"|^(?:project|product|system|platform|team|company|work|things?|stuff|data)$"
    r"|\b(?:reasons?|years?|months?|weeks?|days?|time|performance|speed|simplicity|costs?|price|budget"
    r"|reliability|flexibility|scalability|stability|safety|security|convenience|compliance|consistency)$"
)
_DOING = re.compile(rf"(?i)^\w+ing (?!(?:[\w-]+ )*{_MADE}$)")  # "for storing events", but "billing service"
_LOOSE = re.compile(
    rf"(?i)^(?:(?:{_ARTICLE.strip()}|new|old|whole|entire|existing|upcoming|current) )+|(?: {_KIND})$"
)

_INNER_CAPITAL = re.compile(r"(?<=\w)[A-Z]")
_SHORTENED = re.compile(r"^(?:api|cli|ui|ci)(?=s?$)")
_WIDE = re.compile(r"[\u3400-\u9fff]")
_WIDE_MADE = (
    "(?:服务|系统|官网|网站|站点?|应用|[Aa]pp|APP|API|api|平台|小程序|后台|前台|前端|后端|客户端|服务端|移动端|模块|组件|项目|产品|目录|商城|店|"
    "博客|缓存|队列|任务|脚本|工具|插件|接口|网关|中台|看板|报表|仓库|机器人|游戏|引擎|爬虫|文档|知识库|论坛|播客|后厨|门户)"
)
_WIDE_VAGUE = frozenset({"服务", "系统", "项目", "产品", "平台", "任务", "工具"})
_WIDE_NAME = r"(?P<thing>[\u3400-\u9fffA-Za-z0-9 _-]{0,12}?" + _WIDE_MADE + ")"
_WIDE_CHOICE = (
    "(?:改用|换用|采用|选用|改为|改成|换成|使用|选择|选|用|上|跑在|放在|放到|部署|托管|搬到|迁到|迁移到|挂在)"
)
_WIDE_LITTLE = "(?:决定|我们|咱们|以后|就|都|还是|先|统一|继续|也|要|最终|最后|仍然?|全部|现在|今后|直接)*"
_WIDE_OF = "(?:数据库|存储|部署|托管|服务器|主机|框架|缓存|后端|前端)"
_WIDE_PATTERNS = tuple(
    re.compile(pattern)
    for pattern in (
        rf"{_WIDE_NAME}\s?(?:的\s?)?{_WIDE_OF}?\s?{_WIDE_LITTLE}\s?{_WIDE_CHOICE}",
        rf"(?:做|作为|当|当作|给|为|把|将)\s?{_WIDE_NAME}\s?(?:的\s?{_WIDE_OF}|{_WIDE_CHOICE}|$)",
        rf"{_WIDE_NAME}\s?的\s?{_WIDE_OF}",
        rf"(?:给|为|用于|用在|用来做)\s?{_WIDE_NAME}",
    )
)
_WIDE_LEAD = re.compile(
    r"^(?:我们|咱们?|我|大家|团队|已经|刚刚?|决定|确定|商量好|说好|定了|最终|最后|把|将|给|让|为|对|那|就|了|这个|那个|这|那|新的?|"
    r"以后|今后|从现在起|现在|先|的|在|关于|至于|不过|但是?|另外|还有|\s)+"
)


def thing_decided_for(text: str, is_topic: Callable[[str], bool]) -> str:
    """The thing that the choice in ``text`` is for, short, in lower case but for "API"; "" when none is said.

    ``is_topic``: whether words name a choice of the topic itself, which is no thing: "host PostgreSQL on ...".
    """
    for thing in (*_wide_things(text), *_things(text)):
        if thing and not is_topic(thing):
            return thing[:LONGEST].strip()
    return ""


def with_thing(topic: str, thing: str) -> str:
    """ "Database of the billing service", 计费服务的数据库."""
    if not thing:
        return topic
    if _WIDE.search(topic + thing):
        return f"{thing}{' ' if thing[-1].isascii() else ''}的{' ' if topic[0].isascii() else ''}{topic}"
    return f"{topic} of {'' if thing.istitle() else 'the '}{thing}"


def still_for(topic: str, earlier: Sequence[str]) -> str:
    """The topic of a correction that names no thing ("actually, MySQL instead"): that of the last choice on it."""
    for old in reversed(earlier):
        if old == topic or old.startswith(f"{topic} of ") or old.endswith((f"的{topic}", f"的 {topic}")):
            return old
    return topic


def _things(text: str) -> Iterator[str]:
    for pattern in _PATTERNS:
        for match in pattern.finditer(text):
            said = match["thing"].strip(" .'’-")
            thing = _LOOSE.sub("", _LOOSE.sub("", said))
            if len(thing) < 2 or _NO_THING.search(thing) or _DOING.search(thing):
                continue
            named = " " not in thing and thing.istitle() and match.start("thing") > 0
            bare = named and match[0].endswith(f"for {said}")
            yield thing if bare else " ".join(map(_plain, thing.split()))


def _plain(word: str) -> str:
    """A word in lower case, but for one like "API" or "iOS"."""
    return _SHORTENED.sub(
        lambda match: match[0].upper(), word if _INNER_CAPITAL.search(word) else word.lower()
    )


def _wide_things(text: str) -> Iterator[str]:
    if not _WIDE.search(text):
        return
    for pattern in _WIDE_PATTERNS:
        for match in pattern.finditer(text):
            thing = _WIDE_LEAD.sub("", match["thing"]).strip()
            if thing and thing not in _WIDE_VAGUE:
                yield thing
