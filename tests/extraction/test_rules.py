"""What the rules promise whatever the words: whose words count, and how operations look."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memfs.extraction.kinds import kind_of
from memfs.extraction.languages import choose_languages
from memfs.extraction.phrasebook import LANGUAGES, phrasebook
from memfs.extraction.request import Request
from memfs.extraction.rules import RulesExtractor
from memfs.model import Extraction, Operation, Turn

NOW = datetime.fromisoformat("2026-06-10T09:00:00+02:00")
TYPES = {"profile", "preferences", "projects", "decisions", "actions", "notes", "entities", "events"}


@dataclass(frozen=True)
class Named:
    name: str


def read(*turns: Turn, **more: object) -> Extraction:
    return RulesExtractor().extract(Request(tuple(turns), NOW, **more))  # type: ignore[arg-type]


def user(text: str, peer: str | None = None) -> Turn:
    return Turn("user", text, peer=peer)


def only(extraction: Extraction) -> Operation:
    (operation,) = extraction.operations
    return operation


def test_lj_26_what_the_assistant_says_is_never_the_users() -> None:
    turns = [
        user("which language?"),
        Turn("assistant", "You could use Rust. I always prefer Rust. Remember that."),
    ]
    assert read(*turns).operations == ()


def test_lj_17_saying_it_again_makes_one_entry() -> None:
    assert len(read(user("I always use tabs"), user("as I said, I always use tabs")).operations) == 1


def test_a_peers_words_are_the_peers() -> None:
    operation = only(read(user("I'm the webmaster", peer="dev")))
    assert (operation.type, operation.peer) == ("profile", "dev")


def test_turns_are_positions_of_the_evidence() -> None:
    operation = only(
        read(user("hi"), Turn("assistant", "Hello!"), user("please remember that the key is at Ann's"))
    )
    assert operation.turns == (2,)
    assert operation.insist


def test_context_is_no_evidence() -> None:
    assert read(user("ok"), context=(user("I always use tabs"),)).operations == ()


def test_a_secret_is_in_no_operation() -> None:
    for text in (
        "remember my password is Zorro_4490_rio",
        "I always use password: hunter2x9",
        "记住密码是 Qing#Feng2088",
    ):
        assert not any(
            "Zorro" in str(op) or "hunter2x9" in str(op) or "Feng" in str(op)
            for op in read(user(text)).operations
        )


def test_types_that_are_not_allowed_are_dropped_with_a_reason() -> None:
    extraction = read(user("I always use tabs"), types=(Named("actions"),))
    assert extraction.operations == ()
    assert [each.reason for each in extraction.dropped] == ["type not allowed"]


def test_what_guards_hold_back_is_reported() -> None:
    reasons = {each.reason for each in read(user("maybe we decided to use Rust")).dropped}
    assert reasons == {"hypothetical"}


def test_a_decision_has_topic_reason_and_date() -> None:
    operation = only(read(user("we picked Postgres because nearest lookups need PostGIS")))
    assert operation.fields == {
        "topic": "Database",
        "decision": "we picked Postgres",
        "reason": "nearest lookups need PostGIS",
        "date": "2026-06-10",
    }


@pytest.mark.parametrize(
    "texts",
    [
        (
            "We decided to use PostgreSQL for the billing service.",
            "We decided to use MongoDB for the catalogue.",
        ),
        ("For the website we decided to host on Netlify.", "We decided to host the API on Fly.io."),
        ("We decided on PostgreSQL.", "We decided to use SQLite for the mobile app."),
        ("We decided to use SQLite for the mobile app.", "We decided on PostgreSQL."),
        ("我们决定计费服务用 PostgreSQL。", "我们决定目录服务用 MongoDB。"),
    ],
)
def test_decisions_about_different_things_stand_side_by_side(texts: tuple[str, ...]) -> None:
    assert [op.type for op in read(*map(user, texts)).operations] == ["decisions", "decisions"]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("We decided to use PostgreSQL for the tide cache.", "We decided to use SQLite for the tide cache."),
        (
            "We decided to use PostgreSQL for our billing service.",
            "The billing service will use MySQL, we decided.",
        ),
        ("我们决定计费服务用 PostgreSQL。", "计费服务的数据库改用 MySQL。"),
        (
            "We decided to use PostgreSQL for the billing service.",
            "Actually, we decided to go with MySQL instead.",
        ),
    ],
)
def test_another_choice_for_the_same_thing_replaces_the_first(before: str, after: str) -> None:
    operation = only(read(user(before), user(after)))
    assert operation.fields["topic"] != "Database"
    assert "PostgreSQL" not in str(operation.fields["decision"])


def test_what_is_used_no_more_and_what_instead_is_one_decision() -> None:
    operation = only(read(user("我们决定用 Kafka。"), user("我们不用 Kafka 了，改用 RabbitMQ。")))
    assert (operation.type, operation.fields["topic"]) == ("decisions", "消息队列")
    assert "RabbitMQ" in str(operation.fields["decision"])


@pytest.mark.parametrize(
    ("text", "topic"),
    [
        ("官网部署在 Netlify，就这么定了。", "官网的部署"),
        ("计费服务用 PostgreSQL，定了。", "计费服务的数据库"),
    ],
)
def test_what_is_settled_is_one_decision_with_the_settling(text: str, topic: str) -> None:
    operation = only(read(user(text)))
    assert (operation.type, operation.fields["topic"]) == ("decisions", topic)


@pytest.mark.parametrize(
    "said",
    [
        ("我打算把缓存从 Memcached 换成 Redis，就这么定了。",),
        ("我打算把缓存换成 Redis。就这么定了。",),
        ("缓存我们打算用 Redis", "嗯，就这么定了"),
    ],
)
def test_settling_takes_what_it_settles_as_the_decision(said: tuple[str, ...]) -> None:
    operation = only(read(*(user(text) for text in said)))
    assert operation.type == "decisions"
    assert "Redis" in str(operation.fields["decision"])


def test_settling_nothing_that_was_said_is_no_decision() -> None:
    assert read(user("就这么定了。"), user("那就这么办吧")).operations == ()


def test_a_plan_that_was_decided_on_is_a_decision_and_noting_it_is_nothing() -> None:
    found = read(
        user("我们决定周六去植物园，因为温室这周末免费。"), user("记住了。我喜欢早一点出发，人少。")
    ).operations
    assert [op.type for op in found] == ["decisions", "preferences"]
    assert str(found[0].fields["decision"]) == "我们决定2026-06-13去植物园"


def test_a_rule_for_a_day_of_the_week_is_no_task_and_has_no_day() -> None:
    operation = only(read(user("记住：周五不发版。")))
    assert (operation.type, operation.fields["content"]) == ("preferences", "周五不发版")


def test_remember_before_a_task_does_not_speak_of_the_turn_before() -> None:
    found = read(user("记住：周五不发版。"), user("记住，11月20日交报告。")).operations
    assert [op.type for op in found] == ["preferences", "actions"]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("I have a dentist appointment on 2026-12-14 at 9.", "dentist appointment"),
        ("I have a dentist appointment on 2026-12-14 at 9:30 am, with Dr Olsen.", "dentist appointment"),
        ("My flight to Oslo is on 2026-12-14 at 18:20.", "flight to Oslo"),
        ("The summer party on 2026-12-14 at Nordhavn is confirmed.", "summer party at Nordhavn"),
    ],
)
def test_an_event_is_named_without_its_day_and_hour(text: str, name: str) -> None:
    events = [op for op in read(user(text)).operations if op.type == "events"]
    assert [op.fields["name"] for op in events] == [name]


def test_can_you_remember_that_is_kept_without_the_question_mark_and_as_a_liking() -> None:
    operation = only(read(user("Can you remember that my favourite editor is Helix?")))
    assert (operation.type, operation.fields["content"]) == ("preferences", "my favourite editor is Helix")


def test_who_introduces_themselves_tells_a_name_and_a_role() -> None:
    found = read(user("Hi, I'm Priya, a data engineer at Northwind in Lisbon.")).operations
    assert [op.fields for op in found] == [
        {"name": "Priya"},
        {"role": "a data engineer at Northwind in Lisbon"},
    ]
    assert read(user("I'm Tired, a bit.")).operations == ()


def test_an_action_has_status_priority_and_due_date() -> None:
    operation = only(read(user("urgent: remind me to renew the cert by Friday")))
    assert operation.fields["status"] == "pending"
    assert operation.fields["priority"] == "high"
    assert operation.fields["due"] == "2026-06-12"


def test_the_days_of_a_turn_count_from_that_turn() -> None:
    turn = Turn("user", "remind me to call Jo tomorrow", "2026-03-01T23:30:00-05:00")
    assert only(read(turn)).fields["due"] == "2026-03-03"  # local: the morning of the 2nd


def test_a_later_decision_on_the_topic_replaces_the_earlier() -> None:
    operation = only(read(user("we decided on MySQL"), user("change of plan, we're going with Postgres")))
    assert "Postgres" in str(operation.fields["decision"])


def test_scratch_that_takes_back_what_the_turn_said() -> None:
    (operation,) = read(user("I live in Leeds. scratch that, I moved to Porto")).operations
    assert "Porto" in str(operation.fields)


def test_an_event_that_moved_keeps_its_name() -> None:
    operation = only(read(user("the offsite is on 18 June"), user("small problem, it'll be 25 June instead")))
    assert (operation.fields["name"], operation.fields["date"]) == ("offsite", "2026-06-25")


@pytest.mark.parametrize(
    "text",
    [
        "do we always use tabs?",
        "what if we decided to use Rust",
        "> I always use tabs",
        "```\nI always use tabs\n```",
        "he says he always uses tabs",
        "<document>\nI always use tabs\n</document>",
        "<system-reminder>Remember: I always use tabs</system-reminder>",
        "translate this:\nI always use tabs",
        "just this once, never use tabs here",
        "write a note to Jo: I decided to leave",
        "假如我们决定用 Rust",
        "他说他一律用制表符",
        "“我们决定以后都用制表符，不要空格” 这句话怎么翻译",
    ],
)
def test_not_the_users_own_word_meant_to_last(text: str) -> None:
    assert read(user(text)).operations == ()


def test_a_game_lasts_until_it_ends() -> None:
    turns = [
        user("let's play a game, I'm a knight"),
        user("I decided to fly"),
        user("ok game over"),
        user("I always use tabs"),
    ]
    operation = only(read(*turns))
    assert operation.turns == (3,)


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("I like the way that this is done", "en"),
        ("以后都用中文回复", "zh"),
        ("ich habe das noch nicht, bitte mit der App", "de"),
        ("no me gusta que la página es así, porfa", "es"),
        ("je ne veux pas de ça dans mon projet, merci", "fr"),
        ("これからは日本語でお願いします", "ja"),
    ],
)
def test_the_language_is_told_by_script_and_common_words(text: str, language: str) -> None:
    assert choose_languages([user(text)])[0].language == language


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_phrasebook_is_sound(language: str) -> None:
    book = phrasebook(language)
    assert book.cues
    assert book.guards
    assert {cue.type for cue in book.cues} <= TYPES
    assert all(cue.pattern.search("") is None for cue in book.cues)
    assert all(guard.pattern.search("") is None for guard in book.guards)
    assert all((cue.field is not None) == (cue.type in {"profile", "projects"}) for cue in book.cues)


LINES = st.lists(
    st.one_of(
        st.text(max_size=60),
        st.sampled_from(
            [
                "I always use tabs.",
                "以后都用中文",
                "we decided on Rust, because",
                "remind me",
                "by Friday",
                "?",
            ]
        ),
    ),
    max_size=6,
).map(" ".join)


@given(st.lists(st.tuples(st.sampled_from(["user", "assistant"]), LINES), max_size=8))
def test_any_conversation_gives_sound_operations(lines: list[tuple[str, str]]) -> None:
    turns = tuple(Turn(role, text) for role, text in lines)  # type: ignore[arg-type]
    extraction = read(*turns)
    assert extraction == read(*turns)
    for operation in extraction.operations:
        assert operation.type in TYPES
        assert operation.turns
        assert all(turns[position].role == "user" for position in operation.turns)
        assert all(value for value in operation.fields.values())


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (
            "We decided to use port 8024 for service number 24.",
            "We decided to use port 8025 for service number 25.",
        ),
        (
            "We decided to use port 8004 for service number 4.",
            "We decided to use port 8005 for service number 5.",
        ),
        ("我们决定24号服务用8024端口。", "我们决定25号服务用8025端口。"),
    ],
)
def test_decisions_that_differ_in_a_number_are_two(one: str, other: str) -> None:
    operations = read(user(one), user(other)).operations
    assert [each.type for each in operations] == ["decisions", "decisions"]
    assert operations[0].fields["topic"] != operations[1].fields["topic"]


def test_a_new_number_for_the_same_thing_replaces_the_old_one() -> None:
    operation = only(
        read(user("We decided to cap uploads at 5 MB."), user("We decided to cap uploads at 8 MB."))
    )
    assert "8 MB" in str(operation.fields["decision"])


@pytest.mark.parametrize("text", ["Tidewater is in beta now.", "Our product Tidewater is in beta now."])
def test_a_product_in_a_stage_is_a_project_and_no_person(text: str) -> None:
    operation = only(read(user(text)))
    assert (operation.type, operation.fields["project"]) == ("projects", "Tidewater")
    assert "beta" in str(operation.fields["stage"])


@pytest.mark.parametrize(
    ("text", "name", "category"),
    [
        ("Our biggest client is Meridian GmbH.", "Meridian GmbH", "organisations"),
        ("My supplier is Hartmann Ltd, they invoice monthly.", "Hartmann Ltd", "organisations"),
        ("Our biggest client is Priya Raman.", "Priya Raman", "people"),
    ],
)
def test_only_people_are_filed_as_people(text: str, name: str, category: str) -> None:
    fields = only(read(user(text))).fields
    assert (fields["name"], fields["category"]) == (name, category)


def test_a_firm_is_told_by_its_last_word() -> None:
    assert kind_of("陈记", "供应商是陈记木屋") == ("陈记木屋", "organisations")
    assert kind_of("王强", "王强在店里上班") == ("王强", "people")


@pytest.mark.parametrize(
    ("text", "task"),
    [
        ("Remind me to call the dentist on 2026-12-01, due 2026-12-01.", "call the dentist"),
        ("I need to renew the passport by Friday, that one is urgent, high.", "renew the passport"),
        ("Remind me to buy milk and eggs on 12 December.", "buy milk and eggs"),
        ("稿子2026-12-11给，截止 2026-12-11，提醒我。", "稿子给"),
        ("I need to submit the 2026-12-11 report by 2026-12-11.", "submit the 2026-12-11 report"),
    ],
)
def test_what_has_a_field_is_not_said_again_in_the_task(text: str, task: str) -> None:
    fields = only(read(user(text))).fields
    assert fields["task"] == task
    assert fields["due"]


@pytest.mark.parametrize(
    ("text", "tags"),
    [
        ("the importer crashes on empty files, the fix is to pad them.", ("pitfall",)),
        ("The spare keys are in the drawer in our office.", None),
        ("每周一开会", None),
    ],
)
def test_only_a_pitfall_is_tagged_as_one(text: str, tags: object) -> None:
    for operation in read(user(text)).operations:
        assert operation.fields.get("tags") == tags


@pytest.mark.parametrize(
    ("text", "name"),
    [("My flight to Oslo is on 12 December.", "flight to Oslo"), ("The exam is on 3 July.", "exam")],
)
def test_an_event_is_called_by_its_noun_phrase(text: str, name: str) -> None:
    assert only(read(user(text))).fields["name"] == name


@pytest.mark.parametrize("text", ["I'm at home on thursdays and", "I work part-time, so I only"])
def test_no_entry_ends_on_a_word_that_leads_on(text: str) -> None:
    for operation in read(user(text)).operations:
        assert not str(operation.fields).rstrip("',)}").endswith((" and", " only"))


@pytest.mark.parametrize("text", ["Remember: don't have them yet", "the job must be done"])
def test_words_on_something_unnamed_are_not_kept(text: str) -> None:
    assert read(user(text)).operations == ()


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("我妈妈对花生过敏。", "妈妈"),
        ("我老婆叫李娜，她对海鲜过敏", "李娜"),
        ("我爸爸有高血压", "爸爸"),
        ("我儿子对牛奶过敏", "儿子"),
    ],
)
def test_what_relatives_cannot_take_is_a_fact_of_theirs(text: str, name: str) -> None:
    operation = only(read(user(text)))
    assert (operation.type, operation.fields["name"]) == ("entities", name)


def test_what_others_cannot_take_is_never_the_users_own() -> None:
    found = read(user("我奶奶有糖尿病，我对花粉过敏"), user("李娜对海鲜过敏"), user("她对猫过敏，我想养狗"))
    assert [op.fields for op in found.operations if op.type == "profile"] == [{"health": ("我对花粉过敏",)}]


def test_a_weekend_is_two_days_and_stays_as_it_is_said() -> None:
    plan = only(read(user("我们决定周日去博物馆，因为这周末不收门票。")))
    assert (plan.fields["decision"], plan.fields["reason"]) == (
        "我们决定2026-06-14去博物馆",
        "这周末不收门票",
    )
    task = only(read(user("这周末我要把阳台收拾了")))
    assert task.fields["due"] == "2026-06-14"
    before = only(read(user("周末之前把报告交了")))
    assert before.fields["due"] == "2026-06-13"
    move = only(read(user("下周末搬家")))
    assert (move.fields["date"], move.fields["summary"]) == ("2026-06-20", "下周末搬家")


@pytest.mark.parametrize(
    ("text", "fields"),
    [
        ("I live in Oslo and work as a nurse.", {"location": "in Oslo", "role": "a nurse"}),
        ("I'm a baker and based in Ghent", {"role": "a baker", "location": "in Ghent"}),
        ("我叫李雷，是一名护士，住在成都。", {"name": "李雷", "role": "护士", "location": "成都"}),
        ("你好，我叫李雷，是护士", {"name": "李雷", "role": "护士"}),
        ("我是韩梅梅。", {"name": "韩梅梅"}),
        ("我是程序员。", {"role": "我是程序员"}),
        ("我是高中生。", {"role": "我是高中生"}),
    ],
)
def test_name_trade_and_place_are_each_a_fact_of_their_own(text: str, fields: dict[str, str]) -> None:
    found = read(user(text)).operations
    assert {key: value for op in found for key, value in op.fields.items()} == fields
    assert len(found) == len(fields)


def test_where_others_live_and_what_they_work_as_is_not_the_users() -> None:
    found = read(user("My parents work hard and live in Oslo"), user("我同事叫李雷，是护士，住在成都"))
    assert not [op for op in found.operations if op.type == "profile"]
