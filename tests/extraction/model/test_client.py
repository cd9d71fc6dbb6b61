"""The client against the server: how it asks, how often, and when it gives up."""

from __future__ import annotations

import json
import threading
from collections.abc import Sequence
from typing import Any

import pytest

from memfs.errors import ConfigError, InvalidAnswer, ModelUnavailable
from memfs.extraction.model import client as client_module
from memfs.extraction.model.names import parse_name
from memfs.extraction.model.provider import Endpoint, Question, call_model
from memfs.model import Tokens
from tests.extraction.model.conftest import Room

QUESTION = Question(
    "Answer in JSON.",
    "What?",
    {
        "type": "object",
        "properties": {"notes": {"type": "array", "items": {"type": "string"}}},
        "required": ["notes"],
        "additionalProperties": False,
    },
)


def ask(room: Room, timeout: float = 30.0) -> tuple[str, list[Tokens]]:
    spent: list[Tokens] = []
    return room.client(timeout).ask(QUESTION, spent.append), spent


def test_a_call_says_what_it_must(room: Room) -> None:
    room.script({"content": '{"notes": []}', "usage": [120, 9]})
    text, spent = ask(room)
    (request,) = room.calls()
    assert (text, spent) == ('{"notes": []}', [Tokens(120, 9)])
    assert request["temperature"] == 0
    assert request["max_tokens"] == 2000
    assert not request.get("stream")
    assert [message["role"] for message in request["messages"]] == ["system", "user"]
    assert request["response_format"]["json_schema"]["schema"] == QUESTION.schema
    assert room.keys() == ["k"]


def test_a_model_that_takes_no_temperature_is_asked_without_and_nobody_is_told(
    room: Room, recwarn: pytest.WarningsRecorder
) -> None:
    room.script({"content": '{"notes": []}'})
    call_model(Endpoint(parse_name("openai:o3"), room.base_url, "k", 30.0), QUESTION, "text", 100)
    (request,) = room.calls()
    assert "temperature" not in request
    assert [str(one.message) for one in recwarn if "temperature" in str(one.message)] == []


@pytest.mark.parametrize(
    ("known", "used"),
    [(["json_object", "text"], "json_object"), (["text"], "text")],
)
def test_what_a_server_does_not_know_is_asked_for_once_in_a_process(
    room: Room, known: Sequence[str], used: str
) -> None:
    room.script({"content": "{}", "formats": known})
    ask(room)
    ask(room)
    formats = [call.get("response_format", {"type": "text"})["type"] for call in room.calls()]
    assert formats[-2:] == [used, used]
    assert formats.count("json_schema") == 1
    assert room.time.slept == []


def test_a_grammar_that_the_server_cannot_make_counts_as_unknown_format(room: Room) -> None:
    refusal = {"status": 500, "body": {"error": {"message": "failed to parse grammar"}}}
    room.script({"content": "{}", "formats": ["json_object"], "refusal": refusal})
    assert ask(room)[0] == "{}"
    assert room.time.slept == []


def test_lj_05_a_cut_answer_is_asked_for_once_more_and_never_read(room: Room) -> None:
    room.script({"content": '{"notes": ["a', "finish": "length"}, {"content": '{"notes": ["ab"]}'})
    text, spent = ask(room)
    assert text == '{"notes": ["ab"]}'
    assert [call["max_tokens"] for call in room.calls()] == [2000, 8000]
    assert len(spent) == 2


def test_lj_05_an_answer_cut_twice_is_no_answer(room: Room) -> None:
    room.script({"content": '{"notes": []}', "finish": "length"})
    with pytest.raises(InvalidAnswer, match="cut off at 8,000"):
        ask(room)
    assert len(room.calls()) == 2


FAILURES: dict[str, dict[str, Any]] = {
    "429": {"status": 429, "body": {"error": {"message": "slow down"}}},
    "500": {"status": 500, "body": {"error": {"message": "oops"}}},
    "503 as a page": {"status": 503, "body": "<html>bad gateway</html>"},
    "529": {"status": 529},
    "reset": {"reset": True},
    "no JSON": {"raw": "<html>hello</html>"},
    "other type": {"raw": "hello", "type": "text/plain"},
    "invalid UTF-8": {"raw": '{"choices": "\xff\xfe"}'},
    "no choices": {
        "raw": '{"id": "x", "object": "chat.completion", "created": 1, "model": "m", "choices": []}'
    },
    "null": {"raw": "null"},
}


@pytest.mark.parametrize("kind", FAILURES)
def test_what_may_pass_is_tried_again_with_growing_pauses(room: Room, kind: str) -> None:
    room.script(FAILURES[kind], FAILURES[kind], FAILURES[kind], {"content": "{}"})
    assert ask(room)[0] == "{}"
    assert room.time.slept == [1.0, 4.0, 16.0]


@pytest.mark.parametrize("kind", FAILURES)
def test_after_four_tries_the_model_is_unavailable(room: Room, kind: str) -> None:
    room.script(FAILURES[kind])
    with pytest.raises(ModelUnavailable, match=r"openai:test does not answer \(4 tries\)"):
        ask(room)
    assert len(room.calls()) == 4


def test_retry_after_is_kept_to(room: Room) -> None:
    room.script({"status": 429, "headers": {"Retry-After": "37"}}, {"content": "{}"})
    ask(room)
    assert room.time.slept == [37.0]


def test_a_retry_after_beyond_patience_leaves_it_to_the_next_run(room: Room) -> None:
    room.script({"status": 429, "headers": {"Retry-After": "7200"}})
    with pytest.raises(ModelUnavailable, match="asks to wait 7,200 seconds"):
        ask(room)
    assert (len(room.calls()), room.time.slept) == (1, [])


def test_no_question_outlasts_a_lease(room: Room) -> None:
    room.script({"status": 429, "headers": {"Retry-After": "60"}})
    with pytest.raises(ModelUnavailable):
        ask(room, timeout=450.0)
    assert room.time.slept == [60.0]


def test_a_server_that_says_nothing_times_out(room: Room) -> None:
    room.script({"hang": True})
    with pytest.raises(ModelUnavailable, match=r"no answer within 0\.2 seconds"):
        ask(room, timeout=0.2)
    assert len(room.calls()) == 4


@pytest.mark.parametrize(
    ("step", "hint"),
    [
        (
            {
                "status": 401,
                "body": {"error": {"message": "bad key sk-proj-Zq8RtY2mWx7LbN4cVfJ1kHs9DgPa3EoU6"}},
            },
            "key",
        ),
        ({"status": 403}, "key"),
        ({"status": 404}, "base_url"),
        (
            {"status": 400, "body": {"error": {"message": "context", "code": "context_length_exceeded"}}},
            "max_tokens",
        ),
        ({"status": 429, "body": {"error": {"message": "m", "code": "insufficient_quota"}}}, "credit"),
    ],
)
def test_what_will_not_pass_is_tried_once_and_says_what_to_do(
    room: Room, step: dict[str, Any], hint: str
) -> None:
    room.script(step)
    with pytest.raises(ModelUnavailable) as caught:
        ask(room)
    assert hint in (caught.value.hint or "")
    assert "Zq8RtY2m" not in str(caught.value)
    assert len(room.calls()) == 1


def test_nothing_listens(room: Room) -> None:
    endpoint = Endpoint(parse_name("openai:test"), "http://127.0.0.1:9/v1", "k", 5.0)
    client = client_module.ModelClient(endpoint, room.time.patience)
    with pytest.raises(ModelUnavailable, match="the connection broke"):
        client.ask(QUESTION, lambda _: None)


def test_a_filter_that_declines_is_no_answer(room: Room) -> None:
    room.script({"content": "", "finish": "content_filter"})
    with pytest.raises(InvalidAnswer, match="declined"):
        ask(room)


def test_lj_08_the_word_think_inside_of_an_answer_stays(room: Room) -> None:
    content = json.dumps({"notes": ["the <think> tag and its </think> end"]})
    room.script({"content": content})
    assert ask(room)[0] == content


def test_thoughts_that_a_server_gives_apart_are_left_out(room: Room) -> None:
    room.script({"content": "{}", "thinking": '{"notes": ["draft"]}'})
    assert ask(room)[0] == "{}"


def test_an_answer_by_a_tool_is_read(room: Room) -> None:
    room.script({"tool": '{"notes": ["a"]}'})
    assert json.loads(ask(room)[0]) == {"notes": ["a"]}


def test_two_calls_at_most_are_under_way(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    running, most, lock = 0, 0, threading.Lock()
    both, release = threading.Barrier(3), threading.Event()

    def counted(*arguments: Any) -> Any:
        nonlocal running, most
        with lock:
            running += 1
            most = max(most, running)
            early = running <= 2 and not release.is_set()
        if early:
            both.wait(10)
            release.wait(10)
        reply = call_model(*arguments)
        with lock:
            running -= 1
        return reply

    monkeypatch.setattr(client_module, "call_model", counted)
    threads = [threading.Thread(target=ask, args=(room,)) for _ in range(5)]
    for thread in threads:
        thread.start()
    both.wait(10)
    release.set()
    for thread in threads:
        thread.join(30)
    assert (most, len(room.calls())) == (2, 5)


def test_without_the_extra_the_command_is_told(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "pydantic_ai", None)
    monkeypatch.setitem(__import__("sys").modules, "pydantic_ai.direct", None)
    with pytest.raises(ConfigError, match=r"pip install '\.\[models\]'"):
        ask(room)


def test_the_server_streams_as_the_protocol_has_it(room: Room) -> None:
    """The server itself: streaming gives the same text and usage as not streaming."""
    import openai

    room.script({"content": '{"notes": ["a long enough answer"]}', "usage": [12, 5]})
    with openai.OpenAI(base_url=room.base_url, api_key="k") as api:
        messages: Any = [{"role": "user", "content": "hi"}]
        whole = api.chat.completions.create(model="m", messages=messages)
        with api.chat.completions.create(
            model="m", messages=messages, stream=True, stream_options={"include_usage": True}
        ) as stream:
            chunks = list(stream)
    text = "".join(c.choices[0].delta.content or "" for c in chunks if c.choices)
    assert text == whole.choices[0].message.content
    assert chunks[-1].usage == whole.usage


def test_the_server_calls_tools_as_the_protocol_has_it(room: Room) -> None:
    """The server itself: a tool call is the same streamed and not."""
    import openai

    room.script({"tool": '{"notes": ["a"]}'})
    messages: Any = [{"role": "user", "content": "hi"}]
    with openai.OpenAI(base_url=room.base_url, api_key="k") as api:
        whole = api.chat.completions.create(model="m", messages=messages).choices[0]
        with api.chat.completions.create(model="m", messages=messages, stream=True) as stream:
            choices = [chunk.choices[0] for chunk in stream if chunk.choices]
    (streamed,) = [call for choice in choices for call in choice.delta.tool_calls or ()]
    assert whole.message.tool_calls
    call = whole.message.tool_calls[0]
    assert call.type == "function"
    assert streamed.function is not None
    assert streamed.function.arguments == call.function.arguments == '{"notes": ["a"]}'
    assert choices[-1].finish_reason == whole.finish_reason == "tool_calls"


@pytest.mark.parametrize("model", ["claude-haiku-4-5", "claude-3-haiku-20240307"])
def test_anthropics_own_protocol(room: Room, model: str) -> None:
    room.script(
        {"content": '{"notes": [', "finish": "length"}, {"content": '{"notes": []}', "usage": [31, 8]}
    )
    endpoint = Endpoint(parse_name(f"anthropic:{model}"), room.address, "k-anthropic", 30.0)
    spent: list[Tokens] = []
    text = client_module.ModelClient(endpoint, room.time.patience).ask(QUESTION, spent.append)
    assert (text, spent[-1]) == ('{"notes": []}', Tokens(31, 8))
    last = room.calls()[-1]
    assert (last["model"], last["max_tokens"]) == (model, 8000)
    assert "Answer in JSON." in json.dumps(last["system"])
    assert room.keys() == ["k-anthropic", "k-anthropic"]
