"""When transcripts are due: every one once, never too early, as early as allowed."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from memfs.daemon.debounce import MAX_INTERVAL_SECONDS, Debounce, Timing

NAMES = st.sampled_from(["a", "b", "c"])
IDENTITIES = {"a": "one", "b": "one", "c": "two"}


def test_due_after_the_delay_since_the_last_growth() -> None:
    debounce = Debounce(Timing(90, 0))
    debounce.grew("a", "one", 1000)
    debounce.grew("a", "one", 1060)
    debounce.grew("a", "one", 1030)
    assert debounce.take_due(1149.9, {}) == ()
    assert debounce.take_due(1150, {}) == (("a", "one"),)
    assert debounce.take_due(9999, {}) == ()


def test_the_interval_counts_from_the_identitys_last_run() -> None:
    debounce = Debounce(Timing(90, 300))
    debounce.grew("a", "one", 1000)
    debounce.grew("c", "two", 1000)
    assert debounce.take_due(1100, {"one": 1050}) == (("c", "two"),)
    assert debounce.next_due(1100, {"one": 1050}) == 1350
    assert debounce.take_due(1350, {"one": 1050}) == (("a", "one"),)


def test_the_interval_is_at_most_a_day() -> None:
    debounce = Debounce(Timing(0, 10 * MAX_INTERVAL_SECONDS))
    debounce.grew("a", "one", 1000)
    assert debounce.next_due(1000, {"one": 500}) == 500 + MAX_INTERVAL_SECONDS


def test_times_yet_to_come_hold_nothing_up() -> None:
    debounce = Debounce(Timing(90, 300))
    debounce.grew("a", "one", 999_999)
    assert debounce.next_due(1000, {"one": 888_888}) == 1090
    assert debounce.take_due(1090, {"one": 888_888}) == (("a", "one"),)


def test_longest_quiet_first() -> None:
    debounce = Debounce(Timing(0, 0))
    for name, at in (("b", 30.0), ("a", 20.0), ("c", 10.0)):
        debounce.grew(name, IDENTITIES[name], at)
    assert [name for name, _ in debounce.take_due(100, {})] == ["c", "a", "b"]


@given(st.floats(0, 3600), st.floats(0, 2 * MAX_INTERVAL_SECONDS), st.floats(0, 1e6), st.floats(0, 1e6))
def test_due_exactly_when_both_timers_are_over(
    delay: float, interval: float, grew: float, last: float
) -> None:
    debounce = Debounce(Timing(delay, interval))
    debounce.grew("a", "one", grew)
    now = max(grew, last)
    at = debounce.next_due(now, {"one": last})
    assert at == max(grew + delay, last + min(interval, MAX_INTERVAL_SECONDS))
    if at > now:
        assert debounce.take_due(now, {"one": last}) == ()
    assert debounce.take_due(max(now, at), {"one": last}) == (("a", "one"),)


class Timers(RuleBasedStateMachine):
    """Growth, runs and time in any order against a model that only keeps each name's latest growth."""

    def __init__(self) -> None:
        super().__init__()
        self.timing = Timing(90, 300)
        self.debounce = Debounce(self.timing)
        self.now = 1000.0
        self.runs: dict[str, float] = {}
        self.waiting: dict[str, float] = {}

    def due_at(self, name: str) -> float:
        last = self.runs.get(IDENTITIES[name])
        quiet = self.waiting[name] + self.timing.delay
        return quiet if last is None else max(quiet, last + self.timing.interval)

    @rule(name=NAMES)
    def grow(self, name: str) -> None:
        self.debounce.grew(name, IDENTITIES[name], self.now)
        self.waiting[name] = self.now

    @rule(seconds=st.floats(0, 400))
    def pass_time(self, seconds: float) -> None:
        self.now += seconds

    @rule(name=NAMES)
    def delete(self, name: str) -> None:
        self.debounce.forget(name)
        self.waiting.pop(name, None)

    @rule()
    def wait_for_the_next(self) -> None:
        at = self.debounce.next_due(self.now, self.runs)
        if at is not None:
            self.now = max(self.now, at)
            assert any(self.due_at(name) <= self.now for name in self.waiting)

    @rule()
    def run_what_is_due(self) -> None:
        expected = {name for name in self.waiting if self.due_at(name) <= self.now}
        due = self.debounce.take_due(self.now, self.runs)
        assert {name for name, _ in due} == expected
        assert all(identity == IDENTITIES[name] for name, identity in due)
        for name, identity in due:
            del self.waiting[name]
            self.runs[identity] = self.now

    @invariant()
    def nothing_is_dropped(self) -> None:
        assert len(self.debounce) == len(self.waiting)
        assert all(name in self.debounce for name in self.waiting)


TestTimers = Timers.TestCase
