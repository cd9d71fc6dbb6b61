"""The command that measures extractors on labelled conversations: eval."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from memfs.interfaces.cli.call import Call, command
from memfs.interfaces.cli.parameters import file_argument
from memfs.interfaces.cli.printing import one_line

if TYPE_CHECKING:
    from memfs.services.evaluating.scoring import Tally
    from memfs.services.evaluation import Evaluation

_COLUMNS = ("must", "entries", "recall", "recall_any", "precision_typed", "precision", "f1", "violations")
_TABLES = ("by_type", "by_language", "by_kind")


@command(
    examples="""
    memfs eval labels/                                     the extractor that is set
    memfs eval labels/ --model rules
    memfs eval labels/ --model openai:gpt-5-mini --save mini.jsonl
    memfs eval labels/ --predictions theirs.jsonl          what any program extracted
    """
)
@file_argument("gold_dir")
@click.option("--model", metavar="NAME", help="Another extractor than `extract.model`.")
@click.option(
    "--predictions",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Run nothing; score what is in this file (JSON lines).",
)
@click.option(
    "--save",
    type=click.Path(path_type=Path, dir_okay=False, writable=True),
    metavar="FILE",
    help="Write what was extracted there, in the form that --predictions reads.",
)
def eval_command(
    call: Call, gold_dir: Path, model: str | None, predictions: Path | None, save: Path | None
) -> None:
    """Measure an extractor on labelled conversations.

    GOLD_DIR holds `transcripts/` and `gold/`; docs/evaluation.md tells how to label your own. Tells precision and
    recall with the right type, against the 80 % that the daily job asks for, and tokens, price and time, so that you
    can choose a model on your own data. Nothing is remembered. A language model is called and may cost money.
    """
    from memfs.interfaces.shapes.evaluation import evaluation_json

    if predictions is not None and (model is not None or save is not None):
        raise click.UsageError("--predictions runs nothing, so neither --model nor --save goes with it")
    memory = call.memory_anywhere
    found = memory.eval(gold_dir, model=model, predictions=predictions, announce=call.note)
    if save is not None:
        _write(found, save)
    call.answer(evaluation_json(found), lambda: _lines(call, found))


def _write(found: Evaluation, path: Path) -> None:
    from memfs.services.evaluating.labels import prediction_line

    try:
        path.write_text("".join(map(prediction_line, found.predictions)), encoding="utf-8")
    except OSError as error:
        raise click.FileError(str(path), error.strerror or "cannot be written") from error


def _lines(call: Call, found: Evaluation) -> Iterator[str]:
    from memfs.interfaces.cli.tables import table_lines

    score = found.score
    rows = [_row(call.text("all"), score.all)]
    for name in _TABLES:
        rows.append((call.text(name), *("" for _ in _COLUMNS)))
        rows += [_row(f"  {one_line(key)}", row) for key, row in score.tables[name].items()]
    yield from table_lines(("", *_COLUMNS), rows)
    yield ""
    yield call.text("eval_empty", left=score.left_empty, all=score.empty, repeats=score.repeats)
    for name, (n, right) in score.attributes.items():
        yield call.text("eval_attribute", name=name, right=right, n=n)
    for each in score.violations:
        yield call.text("eval_violation", id=each.id, why=one_line(each.why), text=one_line(each.text))
    for name, reason in found.failed:
        yield call.text("eval_failed", id=name, reason=one_line(reason))
    if score.missing:
        yield call.text("eval_missing", ids=", ".join(score.missing))
    if score.unknown:
        yield call.text("eval_unknown", ids=one_line(", ".join(score.unknown)))
    yield from _summary(call, found)


def _summary(call: Call, found: Evaluation) -> Iterator[str]:
    if found.model is not None:
        cost = call.text("unknown") if found.price is None else f"{found.price:.4f} USD"
        yield call.text(
            "eval_took",
            model=found.model,
            turns=found.turns,
            seconds=f"{found.seconds:.1f}",
            input=found.tokens.input,
            output=found.tokens.output,
            price=cost,
        )
    if found.offered or found.dropped:
        yield call.text("eval_beside", offered=found.offered, dropped=found.dropped)
    whole = found.score.all
    key = "eval_reached" if found.reaches_goal else "eval_missed"
    yield call.text(key, precision=_cell(whole.precision_typed), recall=_cell(whole.recall))


def _row(name: str, row: Tally) -> tuple[str, ...]:
    return (name, *(_cell(getattr(row, column)) for column in _COLUMNS))


def _cell(value: float | int | None) -> str:
    return "-" if value is None else f"{value:.3f}" if isinstance(value, float) else str(value)
