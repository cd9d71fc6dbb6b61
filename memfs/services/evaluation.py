"""Evaluation: how well an extractor does on a person's own labelled conversations, the whole way to entries.

Each conversation goes through parser, privacy, redaction, segments, extractor, routing and drafts, as in a merge
into an empty memory. Nothing is written, and no day's budget counts the tokens.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from memfs.errors import ConfigError
from memfs.extraction.model.names import parse_name
from memfs.extraction.model.prices import price
from memfs.model import Tokens
from memfs.services.evaluating.labels import Prediction, read_labels, read_predictions
from memfs.services.evaluating.running import run_one
from memfs.services.evaluating.scoring import Score, score

if TYPE_CHECKING:
    from memfs.extraction.request import Extractor
    from memfs.services.opening import Vault

Announce = Callable[[str], None]
GOAL = 0.8  # what the daily job asks for: precision and recall with the right type


@dataclass(frozen=True, slots=True)
class Evaluation:
    """What an extractor reached. ``model``: its name, None for predictions that were given.

    ``offered``: entries that it only inferred, which a person would be asked about; they are not scored. ``dropped``:
    operations that were not used. ``failed``: segments without an answer that could be read: conversation and why.
    ``price`` in US dollars, None where it is not known; ``seconds`` of extraction.
    """

    score: Score
    model: str | None
    predictions: tuple[Prediction, ...] = ()
    tokens: Tokens = field(default_factory=Tokens)
    price: float | None = None
    seconds: float = 0.0
    turns: int = 0
    offered: int = 0
    dropped: int = 0
    failed: tuple[tuple[str, str], ...] = ()

    @property
    def reaches_goal(self) -> bool:
        """Whether type-correct precision and recall are both at least `GOAL`."""
        figures = (self.score.all.precision_typed, self.score.all.recall)
        return all(figure is not None and figure >= GOAL for figure in figures)


def evaluate(
    vault: Vault,
    folder: Path,
    *,
    model: str | None = None,
    predictions: Path | None = None,
    extractor: Extractor | None = None,
    announce: Announce | None = None,
) -> Evaluation:
    """Run an extractor over the labelled conversations of ``folder`` and score what it makes of them.

    ``model`` is another than ``extract.model`` names; ``extractor`` another one altogether; with ``predictions``, a
    file of JSON lines, nothing is run and these are scored.

    Raises:
        InvalidRequest: labels, transcripts or predictions cannot be used.
        TranscriptError, UnknownFormat: a labelled conversation cannot be read.
        ConfigError: the model's name, key or prompt cannot be used.
        ModelUnavailable: the model does not answer; figures of a part would mislead.
    """
    labels = read_labels(folder)
    if predictions is not None:
        return Evaluation(score(labels, read_predictions(predictions)), None)
    purse = None
    if extractor is None:
        vault = _with_model(vault, model)
        extractor, purse = _choose(vault)
    runs = [run_one(vault, extractor, folder, label, announce) for label in labels]
    made = {each.prediction.id: each.prediction for each in runs}
    tokens = purse.spent if purse else sum((each.tokens for each in runs), Tokens())
    return Evaluation(
        score(labels, made),
        extractor.name,
        tuple(made.values()),
        tokens,
        _price(vault, extractor.name, tokens),
        round(sum(each.seconds for each in runs), 3),
        sum(each.turns for each in runs),
        sum(each.offered for each in runs),
        sum(each.dropped for each in runs),
        tuple((each.prediction.id, reason) for each in runs for reason in each.failed),
    )


def _with_model(vault: Vault, model: str | None) -> Vault:
    """The vault with another model, checked as a setting is."""
    if model is None:
        return vault
    if model != "rules":
        parse_name(model)
    config = vault.config
    return replace(vault, config=replace(config, extract=replace(config.extract, model=model)))


class _Purse:
    """Counts what replies took, those that could not be read too; no budget."""

    def __init__(self) -> None:
        self.spent = Tokens()

    def require(self, identity: str, tokens: int) -> None:
        """Allow it."""

    def spend(self, identity: str, tokens: Tokens) -> None:  # noqa: ARG002
        """Add it up."""
        self.spent += tokens


def _choose(vault: Vault) -> tuple[Extractor, _Purse | None]:
    name = vault.config.extract.model
    if not name:
        raise ConfigError(
            "extraction is turned off, so there is nothing to evaluate",
            key="extract.model",
            hint="name a model with --model, or rules",
        )
    if name == "rules":
        from memfs.extraction.rules import RulesExtractor

        return RulesExtractor(), None
    from memfs.extraction.model.extractor import ModelExtractor
    from memfs.services.ingesting.models import model_client, prompter

    purse = _Purse()
    return ModelExtractor(model_client(vault), prompter(vault), purse), purse


def _price(vault: Vault, name: str, tokens: Tokens) -> float | None:
    if name == "rules":
        return 0.0
    try:
        return price(parse_name(name), tokens, elsewhere=bool(vault.config.extract.base_url))
    except ConfigError:
        return None
