"""Made-up secrets of many kinds, in the formats that their issuers document, and the words they come with.

A kind makes a value; a frame says how people write it down. Kinds whose value tells what it is (a prefix, a
checksum, an armour) come in frames that name nothing; the others only where something names them.
"""

from __future__ import annotations

import base64
import json
import random
import string
from collections.abc import Callable, Mapping
from dataclasses import dataclass

Chance = random.Random
LOWER, UPPER, DIGITS = string.ascii_lowercase, string.ascii_uppercase, string.digits
ALNUM = string.ascii_letters + DIGITS
HEX = "0123456789abcdef"
URLSAFE = ALNUM + "-_"
BASE64 = ALNUM + "+/"
BASE32 = UPPER + "234567"

# How people write down what needs no name.
BARE = (
    "{v}",
    "use {v} for now",
    "here it is: {v}",
    "I pasted `{v}` into the box and it still fails",
    "export KEY={v}",
    '{{"value": "{v}"}}',
    "config:\n  credential: {v}\n  retries: 3",
    "$ ./deploy.sh {v} --region eu",
    "我把 {v} 发给你，先用这个",
    "[2026-03-14T09:12:44Z] ERROR auth failed for {v} (401)",
    "```\nKEY = '{v}'\n```",
    "the log shows {v}, which should not be there",
)
# How people write down what only its name tells.
ENV = ("{n}={v}", "export {n}={v}", '{n}="{v}"', "{n}: {v}", "- {n}={v}", "$env:{n} = '{v}'")
PASSWORD = (
    "DB_PASSWORD={v}",
    "password: {v}",
    'password = "{v}"',
    '{{"user": "svc", "password": "{v}"}}',
    "my password is {v}",
    "the password for the wiki is {v}",
    "the root password on that box was {v}, change it",
    "密码是 {v}",
    "密码：{v}",
    "登录密码 {v}，别外传",
    "<password>{v}</password>",
    "sshpass -p '{v}' ssh ops@bastion",
    "mysql -h db1 -u root -p{v} shop",
    "curl -u ada:{v} https://artifacts.example.com/list",
    'psql "host=db1 user=app password={v} dbname=shop"',
    "spring.datasource.password={v}",
    "wifi password: {v}",
    "ALTER USER app WITH PASSWORD '{v}';",
    "machine git.example.com login ada password {v}",
    "redis-cli -a {v} ping",
    "temp password: `{v}` (expires tonight)",
    "docker login -u ada -p {v} registry.example.com",
    "pw: {v}",
    "the pw is {v}",
    "login: ada / {v}",
    "username/password: ada/{v}",
    "ENV DB_PASSWORD {v}",
    "kubectl create secret generic db --from-literal=password={v}",
    "env:\n  - name: DB_PASSWORD\n    value: {v}",
    '<property name="password" value="{v}"/>',
    "db.example.com:5432:shop:app:{v}",
    '"body": "{{\\"password\\": \\"{v}\\"}}"',
    "Server=db1;Database=shop;User Id=sa;Password={v};Encrypt=true",
    "jdbc:mysql://db1/shop?user=root&password={v}&useSSL=true",
    "htpasswd -b .htpasswd ada {v}",
    "echo '{v}' | docker login -u ada --password-stdin",
    "gpg --batch --passphrase {v} -d a.gpg",
    "define('DB_PASSWORD', '{v}');",
    "'password' => '{v}',",
    'requests.get(url, auth=("ada", "{v}"))',
    "账号 ada 密码 {v}",
    "密码改成 {v} 了",
    "初始密码：{v}（登录后请修改）",
    "I set the password to {v}",
    "changed my password to {v} yesterday",
    "use {v} as the password",
    "Passwort: {v}",
    "la contraseña es {v}",
    "パスワードは {v} です",
    "비밀번호는 {v}",
    "**Password:** `{v}`",
    "| user | password |\n|---|---|\n| ada | {v} |",
    "Password for ada: {v}",
    "CREATE USER app IDENTIFIED BY '{v}';",
    "requirepass {v}",
    "admin:{v}@10.0.0.5",
)
TOKEN = (
    "Authorization: Bearer {v}",
    'headers = {{"Authorization": "Bearer {v}"}}',
    "ACCESS_TOKEN={v}",
    'token: "{v}"',
    "curl -H 'Authorization: Bearer {v}' https://api.example.com/v1/me",
    "https://api.example.com/v1/items?access_token={v}&page=2",
    "my access token is {v}",
    "令牌是 {v}",
    "x-api-key: {v}",
    "client_secret={v}",
    'os.environ["API_KEY"] = "{v}"',
    "setx API_TOKEN {v}",
    "aws configure set aws_session_token {v}",
    "gh secret set DEPLOY_TOKEN -b {v}",
    "const client = new Client({{ token: '{v}' }})",
    "//registry.npmjs.org/:_authToken={v}",
    "API 密钥：{v}",
    "token 是 {v}",
    "PRIVATE-TOKEN: {v}",
    '<add key="ApiKey" value="{v}" />',
)


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of secret: its value, and the frames it stands in."""

    make: Callable[[Chance], str]
    frames: tuple[str, ...] = BARE


def some(chance: Chance, letters: str, size: int) -> str:
    return "".join(chance.choices(letters, k=size))


def luhn(chance: Chance, prefix: str, size: int) -> str:
    """A number of ``size`` digits whose last one is the Luhn check digit."""
    body = prefix + some(chance, DIGITS, size - len(prefix) - 1)
    total = sum(
        sum(divmod(int(digit) * (2 if at % 2 == 0 else 1), 10)) for at, digit in enumerate(reversed(body))
    )
    return body + str(-total % 10)


def identity_number(chance: Chance) -> str:
    """A number of a Chinese identity card: place, birthday, serial, check."""
    place = chance.choice(("110105", "310104", "440305", "330106", "510107", "420106"))
    day = f"{chance.randint(1950, 2008)}{chance.randint(1, 12):02}{chance.randint(1, 28):02}"
    body = place + day + some(chance, DIGITS, 3)
    weights = (7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)
    return body + "10X98765432"[sum(int(d) * w for d, w in zip(body, weights, strict=True)) % 11]


def iban(chance: Chance) -> str:
    """A German account number with its check digits."""
    body = some(chance, DIGITS, 18)
    return f"DE{98 - int(body + '131400') % 97:02}{body}"


def mobile(chance: Chance) -> str:
    """A Chinese mobile telephone number."""
    number = "1" + chance.choice(("38", "39", "50", "86", "77", "99")) + some(chance, DIGITS, 8)
    return chance.choice((number, f"+86 {number}", f"{number[:3]}-{number[3:7]}-{number[7:]}"))


def spaced(number: str) -> str:
    return " ".join(number[at : at + 4] for at in range(0, len(number), 4))


def encoded(value: object) -> str:
    return base64.urlsafe_b64encode(json.dumps(value, separators=(",", ":")).encode()).decode().rstrip("=")


def jwt(chance: Chance) -> str:
    head = encoded({"alg": chance.choice(("HS256", "RS256")), "typ": "JWT"})
    claims = encoded({"sub": some(chance, DIGITS, 8), "iat": 1790000000, "role": "admin"})
    return f"{head}.{claims}.{some(chance, URLSAFE, 43)}"


def armour(chance: Chance, kind: str, lines: int) -> str:
    body = "\n".join(some(chance, BASE64, 64) for _ in range(lines))
    return f"-----BEGIN {kind}-----\n{body}\n{some(chance, BASE64, 30)}==\n-----END {kind}-----"


_FIRST = ("Maple", "Orbit", "Tiger", "Falcon", "Winter", "Copper", "Harbor", "Pepper", "Lotus", "Quartz")
_SECOND = ("river", "stone", "Lamp", "cloud", "Piano", "bridge", "Candle", "mango")


def human_password(chance: Chance) -> str:
    """As people make them up: words, a sign, a number."""
    sign, number = chance.choice("!#$%&*-_@+?"), chance.randint(1, 9999)
    shape = chance.choice(("{a}{s}{b}{n}", "{a}{n}{s}", "{a}-{b}-{n}", "{s}{b}{n}{a}", "{a}{b}{s}{n}"))
    return shape.format(a=chance.choice(_FIRST), b=chance.choice(_SECOND), s=sign, n=number)


def machine_password(chance: Chance) -> str:
    """As managers make them up."""
    size = chance.randint(12, 24)
    return some(chance, ALNUM, 1) + some(chance, ALNUM + "!#%*-_=+.", size - 2) + some(chance, ALNUM, 1)


_WALLET = (
    "abandon ability absorb access acid adult agree anchor apple arena armor bacon badge bamboo basket"
    " beach bench bicycle blossom canyon carbon castle cereal cherry citizen cloud cousin cradle dawn"
    " desert dolphin dragon eagle ember fabric famous forest galaxy garden giraffe harvest helmet"
    " hidden island jacket jungle kitten ladder lemon magnet marble meadow mimic napkin nephew ocean"
    " orchard oxygen panther pepper planet puzzle rabbit ribbon rocket saddle salmon shadow silver"
    " spider sunset tackle tiger trophy tunnel umbrella velvet village walnut whisper yellow zebra"
)


def words(chance: Chance, count: int) -> str:
    """Words as wallets give them."""
    return " ".join(chance.choices(_WALLET.split(), k=count))


def env(name: str, *more: str) -> tuple[str, ...]:
    """The frames of a value that only the name ``name`` tells."""
    return tuple(frame.replace("{n}", name) for frame in ENV) + more


def _at(address: str) -> tuple[str, ...]:
    """The frames of an address that ends in a secret."""
    return tuple(frame.replace("{v}", address) for frame in BARE)


def uuid(chance: Chance) -> str:
    return "-".join(some(chance, HEX, size) for size in (8, 4, 4, 4, 12))


def prefixed(prefix: str, letters: str, size: int, tail: str = "") -> Kind:
    return Kind(lambda chance: prefix + some(chance, letters, size) + tail)


def named(letters: str, size: int, *names: str) -> Kind:
    frames = tuple(frame for name in names for frame in env(name))
    return Kind(lambda chance: some(chance, letters, size), frames)


PROVIDERS: Mapping[str, Kind] = {
    "aws access key id": prefixed("AKIA", BASE32, 16),
    "aws temporary key id": prefixed("ASIA", BASE32, 16),
    "github token": Kind(lambda c: f"gh{c.choice('pousr')}_" + some(c, ALNUM, 36)),
    "github fine-grained token": Kind(lambda c: f"github_pat_{some(c, ALNUM, 22)}_{some(c, ALNUM, 59)}"),
    "gitlab token": prefixed("glpat-", URLSAFE, 20),
    "gitlab runner token": prefixed("glrt-", URLSAFE, 20),
    "openai key": Kind(lambda c: f"sk-{some(c, ALNUM, 20)}T3BlbkFJ{some(c, ALNUM, 20)}"),
    "openai project key": Kind(lambda c: f"sk-proj-{some(c, URLSAFE, 74)}T3BlbkFJ{some(c, URLSAFE, 74)}"),
    "anthropic key": Kind(lambda c: f"sk-ant-api03-{some(c, URLSAFE, 93)}AA"),
    "google api key": prefixed("AIza", URLSAFE, 35),
    "google client secret": prefixed("GOCSPX-", URLSAFE, 28),
    "google access token": prefixed("ya29.a0", URLSAFE, 160),
    "slack bot token": Kind(
        lambda c: f"xoxb-{some(c, DIGITS, 12)}-{some(c, DIGITS, 13)}-{some(c, ALNUM, 24)}"
    ),
    "slack user token": Kind(
        lambda c: "xoxp-" + "-".join(some(c, DIGITS, 12) for _ in range(3)) + "-" + some(c, HEX, 32)
    ),
    "slack app token": Kind(
        lambda c: f"xapp-1-A{some(c, UPPER + DIGITS, 10)}-{some(c, DIGITS, 13)}-{some(c, HEX, 64)}"
    ),
    "discord bot token": Kind(lambda c: f"M{some(c, ALNUM, 23)}.G{some(c, ALNUM, 5)}.{some(c, URLSAFE, 38)}"),
    "telegram bot token": Kind(lambda c: f"{c.randint(10**8, 10**10 - 1)}:AA{some(c, URLSAFE, 33)}"),
    "stripe secret key": Kind(
        lambda c: f"{c.choice(('sk', 'rk'))}_live_{some(c, ALNUM, c.choice((24, 99)))}"
    ),
    "stripe webhook secret": prefixed("whsec_", ALNUM, 32),
    "twilio api key": prefixed("SK", HEX, 32),
    "sendgrid key": Kind(lambda c: f"SG.{some(c, URLSAFE, 22)}.{some(c, URLSAFE, 43)}"),
    "mailgun key": prefixed("key-", HEX, 32),
    "mailchimp key": Kind(lambda c: f"{some(c, HEX, 32)}-us{c.randint(1, 21)}"),
    "npm token": prefixed("npm_", ALNUM, 36),
    "pypi token": prefixed("pypi-AgEIcHlwaS5vcmc", URLSAFE, 150),
    "rubygems key": prefixed("rubygems_", HEX, 48),
    "hugging face token": prefixed("hf_", ALNUM, 34),
    "digitalocean token": prefixed("dop_v1_", HEX, 64),
    "shopify token": Kind(lambda c: f"shp{c.choice(('at', 'ca', 'pa', 'ss'))}_{some(c, HEX, 32)}"),
    "square token": prefixed("sq0atp-", URLSAFE, 22),
    "square secret": prefixed("sq0csp-", URLSAFE, 43),
    "facebook token": prefixed("EAACEdEose0cBA", ALNUM, 120),
    "databricks token": prefixed("dapi", HEX, 32),
    "vault token": prefixed("hvs.", URLSAFE, 92),
    "terraform cloud token": Kind(lambda c: f"{some(c, ALNUM, 14)}.atlasv1.{some(c, ALNUM, 67)}"),
    "atlassian token": Kind(
        lambda c: f"ATATT3xFfGF0{some(c, URLSAFE, 171)}={some(c, '0123456789ABCDEF', 8)}"
    ),
    "new relic key": prefixed("NRAK-", UPPER + DIGITS, 27),
    "sentry token": Kind(
        lambda c: f"sntrys_{encoded({'iat': 1790000000, 'url': 'https://sentry.io'})}_{some(c, BASE64, 43)}"
    ),
    "notion token": prefixed("ntn_", ALNUM, 46),
    "linear key": prefixed("lin_api_", ALNUM, 40),
    "figma token": prefixed("figd_", URLSAFE, 40),
    "grafana token": Kind(lambda c: f"glsa_{some(c, ALNUM, 32)}_{some(c, HEX, 8)}"),
    "postman key": Kind(lambda c: f"PMAK-{some(c, HEX, 24)}-{some(c, HEX, 34)}"),
    "docker hub token": prefixed("dckr_pat_", URLSAFE, 27),
    "doppler token": prefixed("dp.pt.", ALNUM, 43),
    "groq key": prefixed("gsk_", ALNUM, 52),
    "perplexity key": prefixed("pplx-", ALNUM, 48),
    "replicate token": prefixed("r8_", ALNUM, 37),
    "airtable token": Kind(lambda c: f"pat{some(c, ALNUM, 14)}.{some(c, HEX, 64)}"),
    "supabase token": prefixed("sbp_", HEX, 40),
    "planetscale token": prefixed("pscale_tkn_", URLSAFE, 43),
    "pulumi token": prefixed("pul-", HEX, 40),
    "hubspot token": Kind(lambda c: f"pat-na1-{uuid(c)}"),
    "contentful token": prefixed("CFPAT-", URLSAFE, 43),
    "dropbox token": prefixed("sl.", URLSAFE, 135),
    "mapbox secret token": Kind(
        lambda c: f"sk.{encoded({'u': 'ada', 'a': some(c, ALNUM, 25)})}.{some(c, URLSAFE, 22)}"
    ),
    "fly token": prefixed("FlyV1 fm2_", BASE64, 180),
    "alibaba cloud key id": prefixed("LTAI5t", ALNUM, 18),
    "tencent cloud secret id": prefixed("AKID", ALNUM, 32),
    "azure client secret": Kind(lambda c: f"{some(c, ALNUM, 3)}8Q~{some(c, URLSAFE + '.~', 33)}x"),
    "age secret key": prefixed("AGE-SECRET-KEY-1", "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L", 58),
    "jwt": Kind(jwt),
    "slack webhook": Kind(
        lambda c: some(c, ALNUM, 24), _at("https://hooks.slack.com/services/T02AB3CD4/B05EF6GH7IJ/{v}")
    ),
    "discord webhook": Kind(
        lambda c: some(c, URLSAFE, 68), _at("https://discord.com/api/webhooks/112233445566778899/{v}")
    ),
    "dingtalk webhook": Kind(
        lambda c: some(c, HEX, 64), _at("https://oapi.dingtalk.com/robot/send?access_token={v}")
    ),
    "wecom webhook": Kind(uuid, _at("https://qyapi.weixin.qq.com/cgi-bin/webhook/send?key={v}")),
    "feishu webhook": Kind(uuid, _at("https://open.feishu.cn/open-apis/bot/v2/hook/{v}")),
}

NAMED: Mapping[str, Kind] = {
    "aws secret key": named(BASE64, 40, "AWS_SECRET_ACCESS_KEY", "aws_secret_access_key"),
    "alibaba cloud secret": named(ALNUM, 30, "ALIBABA_CLOUD_ACCESS_KEY_SECRET", "accessKeySecret"),
    "tencent cloud secret": named(ALNUM, 32, "TENCENTCLOUD_SECRET_KEY", "SecretKey"),
    "wechat app secret": named(HEX, 32, "WECHAT_APP_SECRET", "AppSecret"),
    "datadog key": named(HEX, 32, "DD_API_KEY", "DATADOG_APP_KEY"),
    "cloudflare token": named(URLSAFE, 40, "CLOUDFLARE_API_TOKEN", "CF_API_TOKEN"),
    "twilio auth token": named(HEX, 32, "TWILIO_AUTH_TOKEN", "auth_token"),
    "heroku key": Kind(uuid, env("HEROKU_API_KEY")),
    "signing key": named(URLSAFE, 50, "SECRET_KEY", "JWT_SECRET", "SESSION_SECRET"),
    "azure storage key": Kind(
        lambda c: some(c, BASE64, 86) + "==",
        (
            "DefaultEndpointsProtocol=https;AccountName=shop;AccountKey={v};EndpointSuffix=core.windows.net",
            "AZURE_STORAGE_KEY={v}",
            'account_key: "{v}"',
        ),
    ),
    "wireguard key": Kind(
        lambda c: some(c, BASE64, 42) + "A=", ("[Interface]\nPrivateKey = {v}\nAddress = 10.0.0.2/32",)
    ),
    "ethereum key": Kind(
        lambda c: "0x" + some(c, HEX, 64),
        ("private key: {v}", "PRIVATE_KEY={v}", "my wallet's private key is {v}"),
    ),
    "authenticator seed": Kind(
        lambda c: some(c, BASE32, 32),
        ("otpauth://totp/Shop:ada@example.com?secret={v}&issuer=Shop", "TOTP_SECRET={v}", "2FA secret: {v}"),
    ),
    "opaque token": Kind(lambda c: some(c, URLSAFE, c.randint(32, 64)), TOKEN),
    "hex token": Kind(lambda c: some(c, HEX, c.choice((32, 40, 64))), TOKEN),
    "basic authorization": Kind(
        lambda c: base64.b64encode(f"ada:{machine_password(c)}".encode()).decode(),
        (
            "Authorization: Basic {v}",
            "curl -H 'Authorization: Basic {v}' https://api.example.com/",
            "_auth={v}",
        ),
    ),
    "password in an address": Kind(
        lambda c: some(c, ALNUM, c.randint(8, 20)),
        (
            "postgres://app:{v}@db.example.com:5432/shop",
            "DATABASE_URL=mysql://root:{v}@10.0.3.7/shop",
            "redis://:{v}@cache.example.com:6379/0",
            "mongodb+srv://svc:{v}@cluster0.ab1cd.mongodb.net/?retryWrites=true",
            "git clone https://ada:{v}@git.example.com/shop/api.git",
            "amqp://guest:{v}@mq:5672/%2f",
        ),
    ),
    "human password": Kind(human_password, PASSWORD),
    "machine password": Kind(machine_password, PASSWORD),
    "cookie": Kind(
        lambda c: some(c, ALNUM, 40),
        (
            "Cookie: sessionid={v}; theme=dark",
            "Set-Cookie: sid={v}; HttpOnly",
            "curl -H 'Cookie: PHPSESSID={v}'",
        ),
    ),
    "signed address": Kind(
        lambda c: some(c, HEX, 64),
        ("https://shop.s3.amazonaws.com/a.csv?X-Amz-Expires=3600&X-Amz-Signature={v}",),
    ),
    "shared access signature": Kind(
        lambda c: some(c, ALNUM, 40) + "%3D",
        ("https://shop.blob.core.windows.net/x/a.csv?sv=2024-11-04&se=2026-12-01&sr=b&sp=r&sig={v}",),
    ),
    "seed phrase": Kind(
        lambda c: words(c, c.choice((12, 24))),
        ("seed phrase: {v}", "my recovery phrase is {v}", "助记词：{v}", "wallet mnemonic: {v}"),
    ),
    "verification code": Kind(
        lambda c: some(c, DIGITS, 6),
        ("the verification code is {v}", "your login code: {v}", "验证码：{v}，5分钟内有效", "验证码是 {v}"),
    ),
    "pin": Kind(lambda c: some(c, DIGITS, 4), ("my PIN is {v}", "card PIN: {v}", "the pin was {v}, I think")),
}

NUMBERS: Mapping[str, Kind] = {
    "visa card": Kind(lambda c: luhn(c, "4", 16), ("card {v}", "pay with {v} exp 04/29", "卡号 {v}", "{v}")),
    "mastercard": Kind(lambda c: spaced(luhn(c, "53", 16)), ("card {v}", "my mastercard: {v}", "{v}")),
    "unionpay card": Kind(
        lambda c: luhn(c, "622202", c.choice((16, 19))),
        ("银行卡号：{v}", "工资卡 {v}", "转到 {v} 这张卡", "{v}"),
    ),
    "identity number": Kind(
        identity_number, ("身份证号 {v}", "身份证：{v}", "实名用 {v} 就行", "ID number: {v}", "{v}")
    ),
    "mobile number": Kind(
        mobile,
        ("我的手机号是 {v}", "电话：{v}", "打 {v} 找老王", "call me at {v}", "收货人 李雷 {v} 杭州市西湖区"),
    ),
    "iban": Kind(iban, ("IBAN {v}", "transfer it to {v} please", "Konto: {v}")),
    "social security number": Kind(
        lambda c: f"{c.randint(100, 665)}-{c.randint(10, 99)}-{c.randint(1000, 9999)}",
        ("SSN: {v}", "my social security number is {v}", "ssn {v}"),
    ),
}

ARMOURED: Mapping[str, Kind] = {
    "rsa private key": Kind(lambda c: armour(c, "RSA PRIVATE KEY", 12), ("{v}", "my key:\n{v}\nkeep it")),
    "openssh private key": Kind(
        lambda c: armour(c, "OPENSSH PRIVATE KEY", 6), ("{v}", "cat ~/.ssh/id_ed25519\n{v}")
    ),
    "pkcs8 private key": Kind(lambda c: armour(c, "PRIVATE KEY", 14), ("{v}", "tls.key: |\n{v}")),
    "encrypted private key": Kind(lambda c: armour(c, "ENCRYPTED PRIVATE KEY", 10), ("{v}",)),
    "pgp private key": Kind(lambda c: armour(c, "PGP PRIVATE KEY BLOCK", 12), ("{v}", "backup:\n{v}")),
    "service account": Kind(
        lambda c: json.dumps(armour(c, "PRIVATE KEY", 14))[1:-1],
        (
            '{{"type": "service_account", "project_id": "shop", "private_key": "{v}", "client_email": "a@b.c"}}',
        ),
    ),
}

KINDS: Mapping[str, Kind] = {**PROVIDERS, **NAMED, **NUMBERS, **ARMOURED}
