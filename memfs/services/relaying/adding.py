"""Adding a baton: checked, without secrets, with the number it shares with its question, written durably."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from memfs.errors import InvalidRequest
from memfs.memory.board import Baton, BatonRole, BoardLine, baton_id, channel_name
from memfs.memory.board_records import BoardRecords
from memfs.memory.board_rules import LONGEST, is_low_signal, shared_sequence
from memfs.services.relaying.files import read_files
from memfs.services.relaying.reading import read_batons
from memfs.services.relaying.writing import write_batons
from memfs.vault.lock import hold_vault

if TYPE_CHECKING:
    from memfs.services.opening import Vault

_ROLES: tuple[BatonRole, ...] = ("user", "assistant")
_DROPPED = {
    "off": ("it is off the record", "属于不予记录的内容"),
    "empty": ("nothing is left to tell", "没有可传达的内容"),
    "low": ("it says too little for another agent", "信息太少，对下一位没有用"),
    "told": ("its turn has a baton already: one a turn", "这条消息已有接力：每条消息一条"),
    "gone": ("its turn had a baton, which has left the board", "这条消息的接力已离开接力板"),
}


def add_baton(
    vault: Vault,
    text: str,
    *,
    identity: str | None,
    channel: str,
    role: BatonRole = "assistant",
    session: str | None = None,
    message: str | None = None,
    reply_to: str | None = None,
) -> Baton:
    """Put one baton on an identity's board, durably; secrets and private parts are taken out before.

    ``session`` and ``message`` name the turn it tells of: told again, it is the same baton. ``reply_to`` is the id,
    the message id or the number of the question it answers; an assistant's baton right after an unanswered question
    of the same talk is its reply anyway.

    Returns:
        The baton; with ``dropped`` set it is not on the board, and that says why.

    Raises:
        InvalidRequest: no such role or question, no channel, or a text of more than 400 characters.
    """
    name = vault.choose_identity(identity)
    if role not in _ROLES:
        raise InvalidRequest(
            f"a baton is of the user or the assistant, not of {role!r}", hint="the role is user or assistant"
        )
    line, redacted = _checked_line(vault, text, channel, role)
    draft = Baton(
        "", line.time, line.channel, 0, role, line.text, _name(session), _name(message), redacted=redacted
    )
    if dropped := _nothing_to_tell(text, draft.text):
        return replace(draft, dropped=_why(vault, dropped))
    if len(draft.text) > LONGEST:
        raise InvalidRequest(
            f"a baton has at most {LONGEST} characters; this one has {len(draft.text)}",
            hint="say it in fewer words",
        )
    with hold_vault(vault.layout):
        return _put(vault, name, draft, reply_to)


def _checked_line(vault: Vault, text: str, channel: str, role: BatonRole) -> tuple[BoardLine, bool]:
    """What may stand on the board of a text: on one line, without secrets, private parts and injected memory."""
    from memfs.extraction.redaction import redact_text
    from memfs.markdown.escape import fold_line
    from memfs.transcripts.injected import without_memory_blocks
    from memfs.transcripts.privacy import without_private

    place = channel_name(redact_text(channel).text)
    if not place:
        raise InvalidRequest(
            "a baton needs the channel it was said in", hint="name the channel, such as feishu"
        )
    clean = redact_text(without_private(without_memory_blocks(text)[0])[0])
    now = vault.now().replace(microsecond=0)
    return BoardLine("", now, place, 0, role, fold_line(clean.text)), bool(clean.findings)


def _name(given: str | None) -> str | None:
    """A session's or message's id, without a secret, as transcripts are noted."""
    from memfs.extraction.redaction import redact_name

    return redact_name(given) if given else None


def _nothing_to_tell(said: str, text: str) -> str | None:
    """Which of `_DROPPED` keeps a text off the board, None when it is put there."""
    from memfs.transcripts.privacy import off_the_record

    if off_the_record(said) in ("turn", "back", "session"):
        return "off"
    if not text:
        return "empty"
    return "low" if is_low_signal(text) else None


def _why(vault: Vault, reason: str) -> str:
    return _DROPPED[reason][vault.language == "zh"]


def _put(vault: Vault, identity: str, draft: Baton, reply_to: str | None) -> Baton:
    """Give the draft its number and id and write it; the baton that is there already when it was told before."""
    files = read_files(vault, identity)
    batons = read_batons(vault, identity, files)
    by_turn = baton_id(identity, draft.session, draft.message, draft.role) if draft.message else None
    known = next((baton for baton in batons if baton.id == by_turn), None)
    if known is not None and by_turn in files.records.batons:
        same = known.text == draft.text
        return replace(known, dropped=None if same else _why(vault, "told"))
    if by_turn in files.records.batons:
        return replace(draft, id=by_turn or "", dropped=_why(vault, "gone"))
    sequence = known.sequence if known else _sequence(files.records, batons, draft, reply_to)
    id = by_turn or baton_id(
        identity, draft.channel, sequence, draft.role, vault.clock().isoformat(), draft.text
    )
    baton = replace(draft, id=id, sequence=sequence)
    write_batons(vault, identity, batons, [baton], files.records)
    return baton


def _sequence(records: BoardRecords, batons: Sequence[Baton], draft: Baton, reply_to: str | None) -> int:
    if reply_to:
        return _answered(records, batons, draft.channel, reply_to)
    shared = shared_sequence(batons, draft.channel, draft.session) if draft.role == "assistant" else None
    if shared is not None:
        return shared
    on_board = (baton.sequence for baton in batons if baton.channel == draft.channel and not baton.bootstrap)
    return max([records.last.get(draft.channel, 0), *on_board]) + 1


def _answered(records: BoardRecords, batons: Sequence[Baton], channel: str, reply_to: str) -> int:
    """The number of a question, by its id, its message's id, ``channel#12`` or 12."""
    wanted = reply_to.strip().removeprefix("^")
    numbers = {baton.id: baton.sequence for baton in batons}
    for record in records.batons.values():
        numbers[record.id] = record.sequence
        numbers.update({record.message: record.sequence} if record.message else {})
    if wanted in numbers:
        return numbers[wanted]
    number = wanted.removeprefix(channel).removeprefix("#")
    if not number.isdecimal() or len(number) > 9:
        raise InvalidRequest(f"no baton on the board is called {reply_to}", hint="the relay board shows them")
    return int(number)
