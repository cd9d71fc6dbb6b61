"""The offline extractor: phrases of a language, no model, no network. Precise before complete.

The phrases are data (``phrases/``). Here is only how they are used: user turns are taken apart into their
own words, sentences and clauses; cues say what a clause is about; guards hold back what is asked, imagined,
meant for the moment or said by others; later words correct earlier ones.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date

from memfs.extraction.acknowledgement import echoes, took_note
from memfs.extraction.antecedents import CONTENT, JOINTS, Spoken, is_thin, says_it
from memfs.extraction.areas import GENERAL
from memfs.extraction.candidates import find_candidates
from memfs.extraction.changes import Said, apply_change
from memfs.extraction.corrections import add_find, scratch_earlier
from memfs.extraction.dates import DateMention, find_dates
from memfs.extraction.finds import find_of, operation_of
from memfs.extraction.heard import Candidate, Heard
from memfs.extraction.languages import choose_languages
from memfs.extraction.occasions import choice_was_asked, of_the_moment, proposal_before
from memfs.extraction.operations import Find, Place, make_fields
from memfs.extraction.phrasebook import Phrasebook
from memfs.extraction.purposes import still_for
from memfs.extraction.request import Request
from memfs.extraction.secret_talk import tells_secret
from memfs.extraction.segments import local_time
from memfs.extraction.sentences import Sentence, split_turn
from memfs.extraction.topics import decision_topic
from memfs.extraction.wording import content_words
from memfs.memory.headings import heading
from memfs.model import Dropped, Extraction, FieldValue, Turn


class RulesExtractor:
    """Finds what users say plainly. Fast, offline, the same answer every time."""

    name = "rules"

    def extract(self, request: Request) -> Extraction:
        """Operations from the user turns of ``request``; whatever was held back is in ``dropped``."""
        books = choose_languages(request.turns)
        earlier = [find_of(each, books) for each in request.found]
        reading = _Reading(request, books, list(earlier), earlier)
        for position, turn in enumerate(request.turns):
            if turn.role == "user" or (turn.role == "participant" and turn.peer is not None):
                reading.hear(position, turn)
        return reading.result()


@dataclass(slots=True)
class _Reading:
    """The state of one pass over a segment."""

    request: Request
    books: tuple[Phrasebook, ...]
    finds: list[Find]
    earlier: list[Find]  # of segments before, which this one may still correct
    dropped: list[Dropped] = field(default_factory=list)
    playing: bool = False
    project: str | None = None
    anchor: date | None = None
    lead: tuple[int, str] | None = None  # a note too thin to stand alone, for the next one of its turn
    before: dict[str | None, tuple[int, str]] = field(default_factory=dict)

    def hear(self, position: int, turn: Turn) -> None:
        """Read one user turn."""
        if self._in_a_game(turn.text):
            self.dropped.append(Dropped("any", "role play"))
            return
        sentences = split_turn(turn.text, self.books)
        start = len(self.finds)
        few, one = len(sentences) <= 3, len(sentences) == 1
        for number, sentence in enumerate(sentences):
            if number and any(book.has("scratch", sentence.masked) for book in self.books):
                scratch_earlier(self.finds, start)
            noted, promised = took_note(self.request.turns, position, sentence.text, self.books)
            echoed = echoes(self.request.turns, position, sentence.text, self.books)
            before = self._last()
            said = Said(sentence, position, turn.peer, *self._dates(turn, sentence), self.books)
            self._read(said, turn, noted if few else 0, promised and one, echoed)
            apply_change(self.finds, said, told=self._last() != before)
        if sentences:
            self.before[turn.peer] = (position, sentences[-1].text)

    def _last(self) -> tuple[int, str]:
        """What tells whether something was found since: how many finds there are, and the last one's words."""
        return len(self.finds), self.finds[-1].text if self.finds else ""

    def _dates(self, turn: Turn, sentence: Sentence) -> tuple[date, tuple[DateMention, ...]]:
        """The day on which the turn was said, and the days that the sentence names."""
        said = local_time(turn, self.request.now.tzinfo) if self.request.now.tzinfo else None
        today = (said or self.request.now).date()
        return today, tuple(find_dates(sentence.masked, today, self.books, anchor=self.anchor))

    def _in_a_game(self, text: str) -> bool:
        for book in self.books:
            if book.has("role_play_end", text):
                ended, self.playing = self.playing, False
                return ended
            if book.has("role_play", text):
                self.playing = True
        return self.playing

    def _read(self, said: Said, turn: Turn, noted: int, promised: bool, echoed: bool) -> None:
        turns, books = self.request.turns, self.books
        sentence, position, dates = said.sentence, said.position, said.dates
        if dates:
            self.anchor = dates[-1].day
        proposal = proposal_before(turns, position)
        candidates, held_back = find_candidates(
            sentence,
            Heard(
                books,
                dates,
                noted,
                promised,
                proposal,
                self._project_now(),
                echoed,
                turn.peer not in self.before,
                choice_was_asked(turns, position, books),
            ),
        )
        self.dropped += [Dropped(kind, reason) for kind, reason in held_back]
        for candidate in candidates:
            reason = of_the_moment(turns, position, sentence, candidate, books, promised=promised)
            if reason is not None:
                self.dropped.append(Dropped(candidate.type, reason))
                continue
            place = Place(sentence.text, dates, said.today, books, self._general(), self._project_now())
            self._keep(position, turn, sentence, candidate, place)

    def _general(self) -> str:
        return heading(GENERAL, "zh" if self.books[0].language == "zh" else "en")

    def _project_now(self) -> str | None:
        return self.project or self.request.project

    def _keep(
        self, position: int, turn: Turn, sentence: Sentence, candidate: Candidate, place: Place
    ) -> None:
        made = make_fields(candidate, place)
        if made is None:
            return
        kind, fields, text, day = made
        turns: tuple[int, ...] = (position,)
        words = content_words(text, self.books)
        if (
            kind == "notes"
            and candidate.strength < 2
            and len("".join(words)) < (6 if words[:1] > ["\u2e7f"] else 14)
        ):
            return
        spoken = Spoken(self.request.turns, self.books, self.before, position, turn, sentence, candidate)
        if kind in CONTENT and (whole := spoken.with_antecedent(text)) != text:
            text = whole
            fields = {**fields, CONTENT[kind]: text}
        elif self._points_at_nothing(kind, text, len(words)):
            self.dropped.append(Dropped(kind, "says too little"))
            return
        if is_thin(text, self.books, kind):
            fuller = spoken.fuller(text)
            if self._completes(position, turn, candidate, day) or self._is_kept(spoken, fuller):
                return
            if fuller is None and kind == "notes":
                self.lead = (position, text)
                return
            if fuller is None:
                self.dropped.append(Dropped(kind, "says too little"))
                return
            turns, text = tuple(sorted({*fuller[0], position})), fuller[1]
            fields = {**fields, CONTENT[kind]: text}
        elif kind == "notes" and self.lead is not None and self.lead[0] == position:
            text = f"{self.lead[1]}{JOINTS[self.books[0].spaced]}{text}"
            fields = {**fields, "content": text}
            self.lead = None
        if kind in CONTENT and (before := spoken.just_said()) is not None:
            text = f"{before}{JOINTS[self.books[0].spaced]}{text}"
            fields = {**fields, CONTENT[kind]: text}
        corrects = any(book.has("correction", sentence.masked) for book in self.books)
        find = Find(
            kind,
            self._with_topic(kind, fields, corrects=corrects),
            turns,
            turn.peer,
            text,
            day,
            frozenset(content_words(text, self.books)),
            candidate.remember,
        )
        if kind == "projects":
            self.project = str(fields["project"])
        reverses = any(book.has("reversal", sentence.masked) for book in self.books)
        add_find(self.finds, find, self.books, corrects=corrects or reverses, reverses=reverses)

    def _with_topic(
        self, kind: str, fields: dict[str, FieldValue], *, corrects: bool
    ) -> dict[str, FieldValue]:
        """The fields of a decision with its topic, told by all of its words; others as they are."""
        if kind != "decisions":
            return fields
        topic = decision_topic(str(fields["decision"]), self.books, general=self._general())
        if corrects:
            topic = still_for(topic, [str(old.fields["topic"]) for old in self.finds if old.type == kind])
        return {"topic": topic, **fields}

    def _points_at_nothing(self, kind: str, text: str, words: int) -> bool:
        """ "Don't have them yet", "do it": few words, on something that nobody named."""
        if kind in {"actions", "preferences"} and says_it(text, self.books) and words < 2:
            return True
        vague = kind in {"notes", "preferences", "profile"} and words < 3
        return vague and any(book.has("unresolved", text) for book in self.books)

    def _is_kept(self, spoken: Spoken, fuller: tuple[tuple[int, ...], str] | None) -> bool:
        """ "..., remember that" after words that were kept just now: they are the more to be kept."""
        last = self.finds[-1] if self.finds else None
        if fuller is None or last is None or not spoken.candidate.cue.remember:
            return False
        if last.turns != (spoken.position,) or last.peer != spoken.turn.peer:
            return False
        words = set(content_words(fuller[1], self.books))
        kept = 2 * len(words & last.words) > len(words)
        last.insist = last.insist or kept
        return kept

    def _completes(self, position: int, turn: Turn, candidate: Candidate, day: date | None) -> bool:
        """ "I'll do it tomorrow" after the task was named in the same turn: only its day is new."""
        last = self.finds[-1] if self.finds else None
        if (
            candidate.type not in {"actions", "events"}
            or day is None
            or last is None
            or last.type != "actions"
        ):
            return False
        if last.turns != (position,) or last.peer != turn.peer or "due" in last.fields:
            return False
        last.fields["due"], last.day = day.isoformat(), day
        return True

    def result(self) -> Extraction:
        """The finds as operations of allowed types, without any secret."""
        allowed = {each.name for each in self.request.types}
        operations = []
        for find in self.finds:
            if any(find is old for old in self.earlier):
                continue
            if allowed and find.type not in allowed:
                self.dropped.append(Dropped(find.type, "type not allowed"))
            elif any(isinstance(value, str) and tells_secret(value) for value in find.fields.values()):
                self.dropped.append(Dropped(find.type, "secret"))
            else:
                operations.append(operation_of(find, self.books, self.request.language))
        return Extraction(tuple(operations), tuple(self.dropped), withdrawn=self._withdrawn())

    def _withdrawn(self) -> tuple[int, ...]:
        """The earlier finds that this segment gave up, replaced or said more fully."""
        return tuple(
            number for number, old in enumerate(self.earlier) if not any(old is find for find in self.finds)
        )
