from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memfs.extraction.redaction import redact_name, redact_session, redact_text, redact_turn
from memfs.extraction.secret_talk import tells_secret
from memfs.model import Attachment, Session, ToolCall, Turn

PEM = "-----BEGIN RSA PRIVATE KEY-----\nMIIEowIBAAKCAQEA7bq2\nx3v5y8z1\n-----END RSA PRIVATE KEY-----"

SECRETS = [
    ("sk-proj-Ab3dEf6hIj9kLm2nOp5q", "api key"),
    ("sk-ant-api03-Zx9yWv8uTs7rQp6o", "api key"),
    ("sk-abcdefghijklmnopqrstuvwxyz012345", "api key"),
    ("ghp_16C7e42F292c6912E7710c838347Ae178B4a", "api key"),
    ("github_pat_11ABCDEFG0abcdefghijklmnop", "api key"),
    ("glpat-Ab3dEf6hIj9kLm2nOp5q", "api key"),
    ("AKIAIOSFODNN7EXAMPLE", "api key"),
    ("xoxb-123456789012-abcdefGHIJKL", "api key"),
    ("AIzaSyA1234567890abcdefghijklmnopqrstuv", "api key"),
    ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N", "token"),
    (PEM, "private key"),
    ("hunter2-Zorro", "password"),
]

SENTENCES = [
    "psql postgres://app:Tr0ub4dour-Pelican@db.example:5432/x",
    "password: Tr0ub4dour-Pelican",
    "DB_PASSWORD=Tr0ub4dour-Pelican",
    '{"password": "Tr0ub4dour-Pelican"}',
    "--password Tr0ub4dour-Pelican",
    "my password is Tr0ub4dour-Pelican.",
    "the password for the wiki is 'Tr0ub4dour-Pelican'",
    "密码 Tr0ub4dour-Pelican，地址 10.0.0.1",
    "密码是 Tr0ub4dour-Pelican",
    "口令：Tr0ub4dour-Pelican",
    "la clave es Tr0ub4dour-Pelican",
    "das Passwort ist Tr0ub4dour-Pelican",
    "Authorization: Bearer Tr0ub4dour-Pelican-99",
    "client_secret = 'Tr0ub4dour-Pelican'",
    "the admin login is ops / Tr0ub4dour-Pelican",
    "密码你先拿着库的是 Tr0ub4dour-Pelican",
    "curl -H 'x' https://example.com/?api_key=Tr0ub4dour-Pelican&x=1",
]

HARMLESS = [
    "commit 9fceb02d0ae598e95dc970b74767f19372d61af8",
    "id 123e4567-e89b-12d3-a456-426614174000",
    "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "integrity sha512-abcDEF123abcDEF123abcDEF123abcDEF123abcDEF123==",
    "the password is wrong",
    "password: string",
    "password = os.environ['DB_PASSWORD']",
    "password=${DB_PASSWORD}",
    "reset your password here",
    "the token is expired",
    "max_tokens=4096, tokens: 1200",
    "密码不对，重置密码吧",
    "密码带 # 的时候一定要加单引号",
    "Secret Santa: bring a gift",
    "order 1234567890123456",
    "call 020 7946 0018 tomorrow",
    "see https://example.com:8080/a?mail=a@b.example",
    "getUserByIdAndOrganizationIdWithCacheAndRetryPolicyV2",
    "AAAAB3NzaC1yc2EAAAADAQABAAABAQC7",
    "the key is to start early",
    "sk-learn and sk-image",
    "2026-11-30T10:30:00.123456789Z",
]


GAPS = [  # text and what must be gone from it
    ("PGPASSWORD=Tr0ub4dour psql", "Tr0ub4dour"),
    ("DBPASSWORD=pelican77", "pelican77"),
    ("dbPassword: pelican77", "pelican77"),
    ("rootpassword=swordfish", "swordfish"),
    ("SSHPASS=swordfish77 ssh x", "swordfish77"),
    ("REDISCLI_AUTH=swordfish77", "swordfish77"),
    ("GITHUB_TOKEN=bUdSBrgZZyJiuetkiqFR", "bUdSBrgZZyJiuetkiqFR"),
    ("api_key=bUdSBrgZZyJiuetkiqFR", "bUdSBrgZZyJiuetkiqFR"),
    ("api_key=qwhzkvbnmtpl", "qwhzkvbnmtpl"),
    ("API_TOKEN: bUdSBrgZZyJiuetkiqFR", "bUdSBrgZZyJiuetkiqFR"),
    ("curl -u ada:pelican https://x.example", "pelican"),
    ("curl -s --user 'ada:pelican77' https://x.example", "pelican77"),
    ("docker login -u ada -p pelican registry.example", "pelican"),
    ("sshpass -p pelican ssh ada@host", "pelican"),
    ("sshpass -p 'blue pelican' ssh ada@host", "blue pelican"),
    ("mysql -uroot -ppelican shop", "pelican"),
    ("mysqldump -u root -p'blue pelican' shop", "blue pelican"),
    ("redis-cli -h x -a pelican77 ping", "pelican77"),
    ("openssl rsa -passin pass:pelican77 -in x", "pelican77"),
    ("**password**: pelican77", "pelican77"),
    ("**Password:** pelican77", "pelican77"),
    ("- **DB Password:** `pelican77`", "pelican77"),
    ("| password | pelican77 |", "pelican77"),
    ("| host | x |\n| **API key** | `pelican77` |", "pelican77"),
    ("| user | Password |\n|---|:--|\n| root | admin77! |\n| ada | pelican77 |", "pelican77"),
    ("user | api key\n--- | ---\nada | pelican77\n", "pelican77"),
    ("Cookie: sessionid=abcdefpelican; theme=dark", "abcdefpelican"),
    ("Set-Cookie: sid=abcdefpelican; Path=/; HttpOnly", "abcdefpelican"),
    ("-H 'Cookie: a=abcdefpelican'", "abcdefpelican"),
    ("https://x.blob.core.example/a?sv=2022&sig=aB3dEf%2Bh9jK1mN0pQ4rS6tU8vW2xY5z%3D&se=1", "aB3dEf"),
    (
        "PuTTY-User-Key-File-3: ssh-ed25519\nComment: k\nPrivate-Lines: 1\nAAAAIpelican\n"
        "Private-MAC: 0123456789abcdef0123456789abcdef",
        "pelican",
    ),
    (
        "---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----\nP2/56wpelican\n---- END SSH2 ENCRYPTED PRIVATE KEY ----",
        "pelican",
    ),
    ("my card 4111.1111.1111.1111", "1111"),
    ("paid by 4111.1111.1111.1111", "1111"),
    ("send it to DE89 3704 0044 0532 0130 00 THEN wait", "3704"),
    ("IBAN GB29NWBK60161331926819", "NWBK"),
    ("es91 2100 0418 4502 0005 1332 hola", "2100"),
    ("twilio SK" + "0123456789abcdef" * 2, "0123456789abcdef"),
    (
        "seed phrase: " + "abandon ability able about above absent absorb abstract absurd abuse access zoo",
        "zoo",
    ),
    (
        "my recovery phrase is "
        + "legal winner thank year wave sausage worth useful " * 2
        + "legal winner thank year "
        "wave sausage worth title",
        "title",
    ),
    ("助记词：" + "legal winner thank year wave sausage worth useful legal winner thank yellow", "yellow"),
    ("mnemonic\n" + "legal winner thank year wave sausage worth useful legal winner thank yellow", "yellow"),
    ("your verification code is 482913", "482913"),
    ("482913 is your Acme verification code", "482913"),
    ("验证码 482913", "482913"),
    ("您的验证码为482913，五分钟内有效", "482913"),
    ("验证码是：482913", "482913"),
    ("user/pass: ada / pelican", "pelican"),
    ("username/password: ada/pelican", "pelican"),
    ("login/password: ada:pelican77", "pelican77"),
    ("user/pass: ada / xq", "xq"),
    ("export PGPASSWORD=abc", "abc"),
    ("MYSQL_PWD=swordfish", "swordfish"),
    ("API_TOKEN: swordfishpelican", "swordfish"),
    ("passphrase: blue horse", "blue horse"),
    ("my code is 482913", "482913"),
    ('the passphrase "blue horse" opens it', "blue horse"),
    ("passphrase 'blue horse'", "blue horse"),
    ("ghp_16C7e42F\u200b292c6912E7710c83\u200d8347Ae178B4a", "292c6912"),
    ("\ufeffghp_16C7e42F292c6912E7710c838347Ae178B4a", "292c6912"),
    ("ｐａｓｓｗｏｒｄ＝pelican77", "pelican77"),
    ("password=ｐｅｌｉｃａｎ７７", "ｐｅｌｉｃａｎ"),
    ("pass\u200bword: pelican77", "pelican77"),
]

STAYS = [
    "👩\u200d💻 says ｈｅｌｌｏ： see you",
    "PWD=/home/ada/code",
    "bypass: enabled, compass: north, spin: 4821",
    "token: authenticationHandler",
    "token=getAuthorizationToken",
    "API_KEY=your_api_key_here",
    "curl -u $USER:$PASS https://x.example",
    "docker run -p 8080:80 nginx",
    "mysql -u root -p shop",
    "mkdir -p src/app && ssh -p 2222 host",
    "| user | password | notes |",
    "| password | required | string |",
    "**Password:** required",
    "| field | password |\n|---|---|\n| type | string |\n| set by | the user |",
    "| max tokens | 4096 |",
    '["password", "x1"], f("password", match["name"])',
    "the cookie recipe: two eggs",
    "sig=12",
    "version 4.11.111.1111",
    "DE89 3704 0044 0532 0130 01",
    "DEADBEEF00112233445566778899AABB",
    "the seed phrase is on paper",
    "exit code is 137, error code 482913, postal code is 10115",
    "the status code is 404",
    "user/pass login is disabled",
    'the password "field" is too short',
    "enter the password 'reset' page",
    "what is a recovery phrase and why do people who are new to all this want to keep one at home",
    "session_id=123e4567-e89b-12d3-a456-426614174000",
]


@pytest.mark.parametrize(("text", "secret"), GAPS)
def test_a_secret_is_told_by_what_stands_around_it(text: str, secret: str) -> None:
    redacted = redact_text(text)
    assert secret not in redacted.text
    assert redacted.findings
    assert redact_text(redacted.text).text == redacted.text


@pytest.mark.parametrize("text", STAYS)
def test_what_only_looks_like_a_secret_stays(text: str) -> None:
    assert redact_text(text).text == text


def test_what_stands_around_a_disguised_secret_keeps_its_own_characters() -> None:
    redacted = redact_text("ｈｉ\u200b ｐａｓｓｗｏｒｄ＝pelican77 👩\u200d💻")
    assert redacted.text == "ｈｉ\u200b ｐａｓｓｗｏｒｄ＝[redacted: password] 👩\u200d💻"


def test_names_of_speakers_files_and_sessions_are_redacted() -> None:
    secret = SECRETS[2][0]
    turn = redact_turn(
        Turn("user", "x", speaker=secret, peer=secret, attachments=(Attachment(f"/a/{secret}"),))
    )
    session = redact_session(Session(secret, f"use {secret}", f"/home/{secret}"))
    assert secret not in repr((turn, session))
    assert redact_name(secret).startswith("redacted-api-key-")
    assert redact_name(secret) != redact_name(secret[:-1] + "c")
    for name in (
        "123e4567-e89b-12d3-a456-426614174000",
        "2026/notes on passwords.jsonl",
        "rollout-2026-11-30T10-30-00",
    ):
        assert redact_name(name) == name


@pytest.mark.parametrize(("secret", "kind"), SECRETS[:-1])
def test_well_known_secrets_are_replaced_by_their_kind(secret: str, kind: str) -> None:
    redacted = redact_text(f"look: {secret} and go on")
    assert redacted.text == f"look: [redacted: {kind}] and go on"
    assert redacted.findings == (kind,)


@pytest.mark.parametrize("sentence", SENTENCES)
def test_passwords_in_urls_assignments_and_prose_are_replaced(sentence: str) -> None:
    redacted = redact_text(sentence)
    assert "Tr0ub4dour" not in redacted.text
    assert "[redacted: " in redacted.text


@pytest.mark.parametrize("text", HARMLESS)
def test_hashes_ids_and_talk_about_secrets_stay(text: str) -> None:
    assert redact_text(text).text == text


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("card 4111 1111 1111 1111", "card number"),
        ("card 5500-0055-5555-5559", "card number"),
        ("银行卡 6222020000000000009", "card number"),  # said to be a card: no checksum needed
        ("订单 6222020000000000009", None),
        ("my card is 4242 0000 1111 9876", "card number"),
        ("4242 0000 1111 9876 parts", None),
        ("身份证 11010519491231002X", "identity number"),
        ("身份证 110105194912310021", None),
        ("私人电话 13900010002，别外传", "phone number"),
        ("打 139-0001-0002 找他", "phone number"),
        ("订单号 13900010002", None),
        ("13900010002345", None),
        ("PIN is 4821", "password"),
    ],
)
def test_numbers_count_when_their_checksum_or_context_says_so(text: str, kind: str | None) -> None:
    assert redact_text(text).findings == ((kind,) if kind else ())


def test_a_private_key_without_its_end_takes_only_its_own_lines() -> None:
    text = "key:\n-----BEGIN PRIVATE KEY-----\n" + "A1b2" * 16 + "\nand then the talk goes on"
    assert redact_text(text).text == "key:\n[redacted: private key]\nand then the talk goes on"


def test_two_private_keys_are_two_findings() -> None:
    assert redact_text(f"{PEM}\n{PEM}").findings == ("private key", "private key")


def test_tool_calls_and_attachments_are_redacted() -> None:
    call = ToolCall(
        "1",
        "sh",
        {"cmd": "x --token Ab3dEf6hIj9k", "password": "swordfish", "n": [1, "k"], SECRETS[2][0]: 1},
        PEM,
    )
    turn = redact_turn(Turn("assistant", "ok", tool_calls=(call,), attachments=(Attachment("a.txt", PEM),)))
    assert turn.tool_calls[0].arguments == {
        "cmd": "x --token [redacted: token]",
        "password": "[redacted: password]",
        "n": [1, "k"],
        "[redacted: api key]": 1,
    }
    assert turn.tool_calls[0].result == "[redacted: private key]"
    assert turn.attachments[0].text == "[redacted: private key]"


@given(st.text(max_size=400))
def test_redacting_twice_changes_nothing(text: str) -> None:
    once = redact_text(text).text
    assert redact_text(once).text == once


@given(
    st.lists(
        st.sampled_from(
            [secret for secret, _ in SECRETS[:-1]] + ["hello", "\n", "密码", " is ", ":", "=", '"', "token"]
        ),
        max_size=12,
    )
)
def test_no_well_known_secret_survives_in_any_company(parts: list[str]) -> None:
    text = " ".join(parts)
    redacted = redact_text(text).text
    assert not any(secret in redacted for secret, _ in SECRETS[:-1])
    assert redact_text(redacted).text == redacted


@pytest.mark.parametrize(
    ("text", "tells"),
    [
        ("the door code is 4471", True),
        ("门禁码 0921#", True),
        ("the wifi password: plum-Vortex-88-tangent", True),
        ("my card is [redacted: card number], exp 04/29", True),
        ("rotate the restic pw tomorrow", False),
        ("api keys rotate every 90 days", False),
        ("JWT tokens are signed with RS256", False),
        ("business cards for the 2026 edition", False),
        ("port 5432 is open", False),
    ],
)
def test_a_sentence_that_tells_a_secret_is_known_by_the_name_of_the_secret(text: str, tells: bool) -> None:
    assert tells_secret(text) is tells
