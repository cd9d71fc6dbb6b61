"""What looks like a secret and is none: identifiers, checksums, placeholders, numbers, talk about secrets."""

from __future__ import annotations

import base64
from collections.abc import Callable, Mapping

from tests.extraction.secret_kinds import (
    ALNUM,
    BASE64,
    DIGITS,
    HEX,
    LOWER,
    UPPER,
    URLSAFE,
    Chance,
    some,
    uuid,
)

Make = Callable[[Chance], str]
_TALK = "the kiln runs hot at cone six lower the ramp"
_FOLDERS = "src app lib core kiln glaze server client handlers models views tests fixtures"
_PARTS = "Get Set User Session Token Refresh Handler Factory Provider Abstract Async Password Policy"
_TITLE = "how to rotate your api keys without downtime and keep secret scanning green in ci"


def one_of(*frames: str, **parts: Make) -> Make:
    """A sentence: a frame with its parts filled in."""

    def make(chance: Chance) -> str:
        return chance.choice(frames).format(**{name: part(chance) for name, part in parts.items()})

    return make


def letters(alphabet: str, size: int) -> Make:
    return lambda chance: some(chance, alphabet, size)


def number(low: int, high: int) -> Make:
    return lambda chance: str(chance.randint(low, high))


def isbn(chance: Chance) -> str:
    body = "978" + some(chance, DIGITS, 9)
    total = sum(int(digit) * (3 if at % 2 else 1) for at, digit in enumerate(body))
    whole = body + str(-total % 10)
    return chance.choice((whole, f"{whole[:3]}-{whole[3]}-{whole[4:8]}-{whole[8:12]}-{whole[12]}"))


def moment(chance: Chance) -> str:
    day = f"2026{chance.randint(1, 12):02}{chance.randint(1, 28):02}"
    clock = f"{chance.randint(0, 23):02}{chance.randint(0, 59):02}{chance.randint(0, 59):02}"
    return chance.choice(
        (day + clock, f"{day}-{clock}", f"{day}_{clock}", f"{day}T{clock}Z", day + clock + "123")
    )


def date_like_phone(chance: Chance) -> str:
    day = (chance.randint(1, 12), chance.randint(1, 28))
    return chance.choice(
        ("{:02}-{:02}-2026", "2026-{:02}-{:02}", "2026.{:02}.{:02}", "2026 {:02} {:02}")
    ).format(*day)


def png(chance: Chance) -> str:
    return "iVBORw0KGgoAAAANSUhEUgAA" + some(chance, BASE64, chance.randint(80, 400)) + "AAAABJRU5ErkJggg=="


def text64(chance: Chance) -> str:
    said = " ".join(chance.choices(_TALK.split(), k=chance.randint(2, 6)))
    return base64.b64encode(said.encode()).decode()


def path(chance: Chance) -> str:
    names = _FOLDERS.split()
    parts = chance.choices(names, k=chance.randint(3, 6))
    return (
        "/".join(parts)
        + f"/{chance.choice(names)}_{chance.choice(names)}.{chance.choice(('py', 'ts', 'go'))}"
    )


def camel(chance: Chance) -> str:
    return "".join(chance.choices(_PARTS.split(), k=chance.randint(4, 7)))


def slug(chance: Chance) -> str:
    return "-".join(chance.choices(_TITLE.split(), k=chance.randint(5, 9)))


def amount(chance: Chance) -> str:
    return f"{chance.randint(1, 999)},{chance.randint(100, 999)}.{chance.randint(10, 99)}"


HEX40, HEX64 = letters(HEX, 40), letters(HEX, 64)

LOOKALIKES: Mapping[str, Make] = {
    "uuid": one_of(
        "session {v} ended",
        '{{"id": "{v}", "status": "ok"}}',
        "see /projects/{v}/runs",
        "request_id={v}",
        "任务 {v} 已完成",
        v=uuid,
    ),
    "git hash": one_of(
        "commit {v}",
        "reverted in {v}, see the log",
        "https://git.example.com/shop/api/commit/{v}",
        "HEAD is now at {v} Fix the ramp",
        "git cherry-pick {v}",
        "git diff {v}..HEAD",
        v=HEX40,
    ),
    "short hash": one_of("merged as {v}", "`{v}` breaks the build", "{v} Fix typo", v=letters(HEX, 8)),
    "checksum": one_of(
        "sha256:{v}",
        "sha256sum: {v}  kiln.tar.gz",
        "{v}  release.zip",
        "image@sha256:{v}",
        "digest {v} matches",
        '"contentHash": "{v}"',
        v=HEX64,
    ),
    "md5": one_of("md5 {v}", 'ETag: "{v}"', "cache key {v} was a miss", "checksum={v}", v=letters(HEX, 32)),
    "integrity": one_of(
        '"integrity": "sha512-{v}=="',
        '<script src="a.js" integrity="sha384-{v}" crossorigin="anonymous"></script>',
        "--hash=sha256:{h}",
        v=letters(BASE64, 86),
        h=HEX64,
    ),
    "image": one_of(
        "![plot](data:image/png;base64,{v})",
        '{{"type": "image", "source": {{"type": "base64", "media_type": "image/png", "data": "{v}"}}}}',
        "background: url(data:image/png;base64,{v})",
        v=png,
    ),
    "base64 text": one_of("echo {v} | base64 -d", "it decodes {v} to a sentence", "payload {v}", v=text64),
    "isbn": one_of("ISBN {v}", "the book is {v}", "书号 {v}", v=isbn),
    "order number": one_of(
        "order {v} has shipped",
        "订单号 {v}",
        "订单 {v} 还没发货",
        "invoice INV-{v}",
        "ticket #{v} is open",
        "PO {v}",
        v=letters(DIGITS, 12),
    ),
    "long order number": one_of(
        "order 2026{v}",
        "订单号：2026{v}",
        "流水号 2026{v} 对不上",
        "tracking number SF{v}",
        v=letters(DIGITS, 13),
    ),
    "parcel": one_of("UPS 1Z{v}", "track 1Z{v} please", v=letters(UPPER + DIGITS, 16)),
    "moment": one_of(
        "backup-{v}.tar", "log_{v}.txt", "migration {v} ran", "run id {v}", "备份 {v} 完成", v=moment
    ),
    "epoch": one_of(
        '"ts": {v}', "at {v} ms", "expires_at={v}", v=number(1_770_000_000_000, 1_799_999_999_999)
    ),
    "date": one_of("on {v} at noon", "due {v}", "改到 {v}", "from {v} on", v=date_like_phone),
    "landline": one_of(
        "客服电话 400-{a}-{b}",
        "前台 010-8{b}{a}",
        "extension {b}",
        "call the desk on 020 7{a} {b}",
        a=letters(DIGITS, 3),
        b=letters(DIGITS, 4),
    ),
    "placeholder key": one_of(
        "OPENAI_API_KEY=your-key-here",
        "OPENAI_API_KEY=<your key>",
        'api_key = "YOUR_API_KEY"',
        "export TOKEN=xxxxxxxxxxxxxxxx",
        "password: ********",
        "token: ${{TOKEN}}",
        "password={{{{ db_password }}}}",
        "secret: !vault |",
        "api_key: $API_KEY",
        "Authorization: Bearer <token>",
        "Authorization: Bearer $TOKEN",
        "set sk-... as the key of {p}",
        "PASSWORD=",
        "client_secret: [hidden]",
        "postgres://user:password@localhost/{p}",
        "https://<user>:<password>@{p}.example.com",
        "ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
        "apiKey: process.env.{P}_KEY",
        "密码：******",
        "token=<{p}-token>",
        p=letters(LOWER, 5),
        P=letters(UPPER, 4),
    ),
    "code about secrets": one_of(
        "const token = await getToken({p})",
        "if password == user.password:",
        "password: str = Field(min_length=8)",
        "token = request.headers.get('{p}')",
        "def reset_password(user, token):",
        "self.api_key = api_key",
        'secret = os.environ["{P}_SECRET"]',
        "token_count = {n}",
        "max_tokens={n}",
        "const {{ password, email }} = req.body",
        "password_hash VARCHAR(255) NOT NULL",
        "key = lambda row: row.{p}",
        "tokens = tokenizer.encode(text, add_special_tokens=False)",
        "credentials: 'include'",
        "raise InvalidToken('{p}')",
        "for key, value in secrets.items():",
        '<input type="password" name="password" id="{p}">',
        "PRIMARY KEY ({p}_id)",
        "token: Optional[str] = None",
        'public_key_path = "~/.ssh/id_ed25519.pub"',
        p=letters(LOWER, 6),
        P=letters(UPPER, 5),
        n=number(10, 9000),
    ),
    "talk about secrets": one_of(
        "our password policy asks for {n} characters",
        "the token bucket refills {n} times a second",
        "we do secret santa on December {d}",
        "API keys rotate every {n} days",
        "the access token expires after {n} minutes",
        "I forgot my password again",
        "passwords are hashed with argon2",
        "the secret is to lower the ramp by {n} degrees",
        "password reset mails arrive late",
        "it used {n}00 tokens",
        "we keep keys in the vault, never in git",
        "the pin of the hinge broke",
        "pin the version to {n}.{d}",
        "a private key belongs to one host",
        "the key point is cost, about {n} a month",
        "token limit: {n}000",
        "change the password and tell nobody",
        "can you make the password field wider",
        "the login page needs a captcha",
        "two-factor codes have {d} digits",
        n=number(8, 90),
        d=number(6, 8),
    ),
    "talk about secrets, Chinese": one_of(
        "密码策略要求至少 {n} 位",
        "令牌 {n} 分钟后过期",
        "密码忘了，帮我重置一下",
        "密钥每 {n} 天轮换一次",
        "验证码收不到，等了 {n} 分钟",
        "身份证要带原件，{n} 号去办",
        "银行卡限额 {n} 万",
        "手机号登录要改成邮箱登录",
        "密码输错 {n} 次会锁定",
        "口令不能太短",
        "卡号后四位是 {m}",
        n=number(5, 90),
        m=letters(DIGITS, 4),
    ),
    "Chinese with numbers": one_of(
        "2026年11月{d}日下午{h}点开会",
        "预算 {a} 元，含税",
        "第 {d} 版共 {n} 页，字数 {n}{d}0",
        "气温 {d} 度，湿度 {n}%",
        "房间 {n}，三楼左转",
        "股票 60{n}5 涨了 {d}%",
        "车次 G{n}，{h}:30 发车",
        "邮编 {n}0{d}，浙江杭州",
        "一共 {n} 人报名，{d} 人没来",
        d=number(10, 28),
        h=number(1, 9),
        n=number(100, 999),
        a=amount,
    ),
    "version": one_of(
        "upgrade to {a}.{b}.{c}",
        "python 3.{a}.{b}",
        "kiln@{a}.{b}.{c}-beta.{b}",
        "v{a}.{b}.{c}+build.{b}",
        a=number(0, 30),
        b=number(0, 20),
        c=number(0, 99),
    ),
    "address": one_of(
        "10.0.{a}.{b}:5432",
        "mac 3c:22:fb:{h}:{g}:0a",
        "fe80::{h}{g}:4f1e",
        "inet 192.168.{a}.{b}/24",
        a=number(0, 255),
        b=number(1, 254),
        h=letters(HEX, 2),
        g=letters(HEX, 2),
    ),
    "public key": one_of(
        "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI{v} ada@host",
        "ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABgQC{w} ada@host",
        "-----BEGIN PUBLIC KEY-----\n{w}\n-----END PUBLIC KEY-----",
        "-----BEGIN CERTIFICATE-----\nMIID{w}\n-----END CERTIFICATE-----",
        "fingerprint SHA256:{v}",
        v=letters(BASE64, 43),
        w=letters(BASE64, 64),
    ),
    "call id": one_of(
        "toolu_01{v}",
        '"tool_call_id": "call_{v}"',
        "msg_01{v} was cut",
        "chatcmpl-{v}",
        "req_01{v} failed",
        v=letters(ALNUM, 22),
    ),
    "payment ids": one_of(
        "customer cus_{v}",
        "payment intent pi_3{v}",
        "price_1{v}",
        "prod_{v}",
        "subscription sub_1{v}",
        v=letters(ALNUM, 14),
    ),
    "cloud names": one_of(
        "arn:aws:iam::{a}:role/deploy",
        "account {a} in eu-central-1",
        "ami-0{h}",
        "vpc-0{h}",
        "projects/kiln-{p}/locations/europe-west3",
        "i-0{h} is stopped",
        "/subscriptions/{u}/resourceGroups/kiln",
        "bucket s3://kiln-{p}-backups/2026",
        a=letters(DIGITS, 12),
        h=letters(HEX, 16),
        p=letters(LOWER, 6),
        u=uuid,
    ),
    "pods and builds": one_of(
        "pod web-{r}-{p} restarted",
        "main.{h}.js is too big",
        "chunk-{H}.mjs",
        "build #{n}",
        "app-{r}-{p}",
        r=letters(HEX, 10),
        p=letters(LOWER + DIGITS, 5),
        h=letters(HEX, 8),
        H=letters(UPPER, 8),
        n=number(10, 99999),
    ),
    "document ids": one_of(
        "https://docs.google.com/document/d/1{v}/edit",
        "https://youtu.be/{y}",
        "https://www.figma.com/file/{f}/Kiln",
        "https://www.notion.so/Kiln-{h}",
        "https://example.com/blog/{s}",
        "https://shop.example.com/?utm_source=mail&utm_id={f}&gclid=Cj0{f}",
        v=letters(URLSAFE, 43),
        y=letters(URLSAFE, 11),
        f=letters(ALNUM, 22),
        h=letters(HEX, 32),
        s=slug,
    ),
    "object ids": one_of(
        "_id: ObjectId('{h}')",
        "ulid 01{u}",
        "nanoid {n}",
        "snowflake {d}",
        "tweet {d}",
        "ksuid 2{k}",
        h=letters(HEX, 24),
        u=letters("0123456789ABCDEFGHJKMNPQRSTVWXYZ", 24),
        n=letters(URLSAFE, 21),
        d=letters(DIGITS, 19),
        k=letters(ALNUM, 26),
    ),
    "issues": one_of(
        "CVE-2026-{n}",
        "KILN-{m} is done",
        "PR #{m}",
        "arXiv:2611.{n}",
        "doi:10.1145/{n}.{n}",
        "RFC {m}",
        n=letters(DIGITS, 5),
        m=letters(DIGITS, 4),
    ),
    "paths": one_of(
        "{p}",
        'File "/srv/{p}", line {n}, in run',
        "diff --git a/{p} b/{p}",
        "at {c} ({p}:{n}:12)",
        "import {c} from './{p}'",
        p=path,
        c=camel,
        n=number(1, 900),
    ),
    "chat ids": one_of(
        "channel C0{v}",
        "user U0{v} joined",
        "<@U0{v}> ping",
        "thread 17{d}.{e}",
        v=letters(UPPER + DIGITS, 9),
        d=letters(DIGITS, 8),
        e=letters(DIGITS, 6),
    ),
    "colours and dumps": one_of(
        "#{a}",
        "color: #{a}; border: 1px",
        "00000010  {h} {h} {h} {h}  |....|",
        "0x{b} at offset {n}",
        "rgb({n}, 12, 40)",
        a=letters(HEX, 6),
        h=letters(HEX, 8),
        b=letters(HEX, 8),
        n=number(10, 255),
    ),
    "numbers": one_of(
        "{a} EUR",
        "lat 52.{n}, lon 13.{n}",
        "p = 0.{n}",
        "IMEI 35{i}",
        "article {e}",
        "{m} rows in {n} ms",
        "phone battery {p}%",
        a=amount,
        n=letters(DIGITS, 6),
        i=letters(DIGITS, 13),
        e=letters(DIGITS, 8),
        m=amount,
        p=number(1, 99),
    ),
    "mail and names": one_of(
        "ada.{p}@example.com",
        "ping @{p}-{n}",
        "branch feature/{p}-{n}-token-refresh",
        "the {p} secret-service team",
        "table user_password_resets_{n}",
        "see {s}.md",
        p=letters(LOWER, 7),
        n=number(10, 999),
        s=slug,
    ),
}
