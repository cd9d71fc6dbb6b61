"""What a model is asked: a request cut into pages that keep to the ceiling of a call, rendered by a template."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from memfs.errors import ConfigError
from memfs.extraction.model.lines import Line, brief_lines, context_line, turn_lines, with_days
from memfs.extraction.request import Request
from memfs.memory.render import check_template, render
from memfs.memory.routing import seen_peers
from memfs.transcripts.cues import OWN_CALL_MARK

MAX_EXISTING = 15
MAX_INSTRUCTIONS = 1000
_LEAST_ROOM = 400
_NOTHING: Mapping[str, object] = {}
_FENCES = 40  # tokens by which the random words of two fences may differ


@dataclass(frozen=True, slots=True)
class Page:
    """One call: its two messages, how many tokens they are, the positions of the turns shown in it, and peers."""

    system: str
    user: str
    tokens: int
    positions: frozenset[int]
    peers: tuple[str, ...] = ()


class Prompter:
    """Makes the pages of a request from one prompt template.

    ``count`` counts tokens, ``tag`` gives a random word for each call's fence, ``ceiling`` is the longest
    prompt in tokens. ``name`` is the template's, for messages. ``tools``: all tool calls are shown, not only those
    that failed. ``brief``: turns and fences in as few tokens as can be.
    """

    def __init__(
        self,
        template: str,
        *,
        count: Callable[[str], int],
        tag: Callable[[], str],
        ceiling: int,
        name: str = "extract",
        tools: bool = False,
        brief: bool = False,
    ) -> None:
        if not template.strip():
            raise ConfigError(
                f"the prompt {name} is empty or cannot be read", key=f"templates/prompts/{name}.md"
            )
        check_template(f"the prompt {name}", template)
        self._template, self._name, self.brief = template, name, brief
        self._count, self._tag, self._ceiling, self._tools = count, tag, ceiling, tools

    def pages(
        self, request: Request, more: Callable[[], Mapping[str, object]] = lambda: _NOTHING
    ) -> Iterator[Page]:
        """The calls that read ``request``; every turn stands in one, a very long one in parts in several.

        ``more`` gives further values for the template, anew for each page.

        Raises:
            ConfigError: the template fails, does not show the conversation, or leaves no room for it.
        """
        empty = self.page(request, more=more())
        room = self._ceiling - empty.tokens - _FENCES
        if room < _LEAST_ROOM:
            raise ConfigError(
                f"the prompt {self._name} alone takes {empty.tokens:,} of {self._ceiling:,} tokens",
                key="extract.max_tokens_per_call",
                hint="raise it, shorten the prompt, or allow fewer memory types",
            )
        lines = list(self._lines(request, room // 2))
        held: list[Line] = []
        size = 0
        for line in lines:
            if held and size + line.tokens > room:
                yield self.page(request, held, more())
                held, size = [], 0
            held.append(line)
            size += line.tokens
        if held:
            yield self.page(request, held, more())

    def _lines(self, request: Request, longest: int) -> Iterator[Line]:
        if self.brief:
            yield from brief_lines(request.turns, now=request.now, count=self._count, longest=longest)
            return
        zone = request.now.tzinfo
        for at, turn in enumerate(request.turns):
            yield from turn_lines(turn, at, zone=zone, count=self._count, longest=longest, tools=self._tools)

    def page(
        self, request: Request, lines: Sequence[Line] = (), more: Mapping[str, object] = _NOTHING
    ) -> Page:
        """One call that shows these lines.

        Raises:
            ConfigError: the template fails, or does not show them between fences.
        """
        texts = with_days(lines)
        before = [context_line(turn, request.now.tzinfo) for turn in request.context]
        existing = [" ".join(each.split()) for each in request.existing[:MAX_EXISTING]]
        fence = self._fence(texts, before, existing)
        peers = tuple(sorted(seen_peers(request.turns)))
        values = {
            "zh": request.language == "zh",
            "language": request.language,
            "identity": request.identity or "an agent",
            "project": " ".join((request.project or "").split()),
            "types": request.types,
            "peers": peers,
            "instructions": request.instructions[:MAX_INSTRUCTIONS].strip(),
            "existing": existing,
            "before": before,
            "lines": texts,
            "fence": fence,
            "now": f"{request.now:%Y-%m-%d %H:%M} ({request.now:%A})",
            "zone": f"{request.now:%Z %z}".strip(),
            **more,
        }
        name = f"the prompt {self._name}"
        system = render(name, self._template, {**values, "part": "system"}).strip()
        user = render(name, self._template, {**values, "part": "user"}).strip()
        if user.count(fence) < 2 or any(text not in user for text in texts):
            raise ConfigError(
                f"{name} does not show the fenced conversation",
                key=f"templates/prompts/{self._name}.md",
                hint="it must print every one of `lines` between two lines of `fence`",
            )
        user = f"{OWN_CALL_MARK}\n{user}"
        return Page(
            system,
            user,
            self._count(system) + self._count(user),
            frozenset(line.position for line in lines),
            peers,
        )

    def _fence(self, *texts: Sequence[str]) -> str:
        """A fence that nothing in this call can close, because it does not hold its word."""
        together = "\n".join(line for group in texts for line in group)
        while True:
            fence = f"#{self._tag()}" if self.brief else f"=====conversation-{self._tag()}====="
            if fence not in together:
                return fence
