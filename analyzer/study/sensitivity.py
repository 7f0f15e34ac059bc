"""What rests on assumptions: the rules as assumed, and every alternative to each, one at a time."""

from __future__ import annotations

import contextlib
import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from analyzer.errors import PluginError, ResultsError, RulesError, UnknownName, UsageError
from analyzer.experiment import Experiment
from analyzer.plain import items, typed
from analyzer.results import ResultSet
from analyzer.rules import settle, toml_text
from analyzer.statistics import fairness
from analyzer.statistics.margins import WIN_SHARE_MARGIN
from analyzer.statistics.sensitivity import Comparison, Run, Varied, compare
from analyzer.statistics.tables import Estimate
from analyzer.statistics.wording import games, listed
from analyzer.study.base import study_of
from analyzer.study.request import Request
from analyzer.study.stage import NotPlayed, Part, Play, Watching

if TYPE_CHECKING:
    import pandas as pd


class Variant(NamedTuple):
    """One assumption changed; ``request`` is None where ``refused`` says why."""

    setting: str
    value: str
    label: str
    request: Request | None
    refused: str = ""


class Plan(NamedTuple):
    """What is compared: a request with all assumptions as they are, and its variants."""

    base: Request
    variants: tuple[Variant, ...]

    def identity(self) -> dict[str, Any]:
        """What two comparisons have in common exactly if they are the same, as plain data."""
        compared = [["", ""]]
        for v in self.variants:
            compared.append([v.setting, v.value, *([v.refused] if v.refused else ())])
        return {**self.base.identity(), "sensitivity": compared}

    def digest(self) -> str:
        """Hash of the identity, 12 hex digits."""
        text = json.dumps(self.identity(), sort_keys=True)
        return hashlib.sha256(text.encode("utf-8", "backslashreplace")).hexdigest()[:12]


@dataclass(frozen=True)
class Sensitivity:
    """How far the figures of a game rest on assumptions.

    ``variants`` are those that were played or refused, with their figures; a refused one has none.
    ``verdicts`` has what `fairness` would answer, by label: verdict and sentence, that of the rules
    as assumed first.
    """

    base: Request
    variants: tuple[tuple[Variant, Varied | None], ...]
    comparison: Comparison
    verdicts: Mapping[str, tuple[str, str]]

    @property
    def answer(self) -> str:
        """Whether the answer survives each assumption, then what moves the figures."""
        return f"{self.survives} {self.comparison.answer}"

    @property
    def survives(self) -> str:
        """Whether the answer is the same whichever assumption is changed."""
        (_, (verdict, answer)), *others = self.verdicts.items()
        changed = self._changed
        differ = [label for label, (v, _) in others if v not in (verdict, "undecided")]
        unsure = [label for label, (v, _) in others if v == "undecided" != verdict]
        told = [f"{answer.removesuffix('.')}, as assumed." if changed else answer]
        if not others:
            return answer
        if verdict == "undecided" and not differ:
            if answer.startswith(fairness.CONFOUNDED):
                return f"{answer} No number of games could settle it: strategies differ by seat."
            return f"{answer} Nor do these games settle it under any alternative."
        if not differ and not unsure:
            return f"The answer is the same under every alternative: {answer}"
        if changed:
            told.insert(0, "The answer depends on what is assumed.")
            told += [f"With {label}: {self.verdicts[label][1]}" for label in changed]
        else:
            told.append("No alternative is shown to change that.")
        told += [
            f"With {label} the verdict is another, but these games do not show that this makes "
            f"the difference: {self.verdicts[label][1]}"
            for label in differ
            if label not in changed
        ]
        if unsure:
            told.append(f"With {listed(unsure)} these games do not settle it.")
        return " ".join(told)

    @property
    def _changed(self) -> list[str]:
        """Where the verdict is another, and a figure that it goes by is shown to have changed.

        Two verdicts may differ by chance alone, one interval just reaching over the margin; and an
        undecided one may have been the same.
        """
        (_, (verdict, _)), *others = self.verdicts.items()
        return [
            label
            for label, (v, _) in others
            if "undecided" not in (v, verdict) and v != verdict and self.comparison.moved(label)
        ]

    @property
    def outcome(self) -> Literal["yes", "no", "undecided"]:
        """Whether the answer is known to be the same whichever assumption is changed."""
        (_, (verdict, _)), *others = self.verdicts.items()
        found = {v for _, (v, _) in others}
        if self._changed:
            return "no"
        return "yes" if verdict != "undecided" and found <= {verdict} else "undecided"

    @property
    def games(self) -> tuple[int, int]:
        """Fewest and most games that were played of any variant."""
        played = [run.games for run in (self.comparison.usual, *self.comparison.variants)]
        return min(played), max(played)

    @property
    def played(self) -> str:
        """How many games, or matches, of each: ``100,000 games``."""
        fewest, most = self.games
        told = games(most, self.comparison.units[1])
        return told if fewest == most else f"{fewest:,} to {told}"


def plan(base: Request) -> Plan:
    """Every alternative to every assumption of a request.

    Raises
    ------
    UsageError
        If its rules leave nothing open.
    """
    found = []
    for key, value in _alternatives(base):
        variant = _variant(base, key, value)
        if variant.request is not None:
            try:
                variant.request.sources()  # binds the strategies, which may refuse these rules
            except (PluginError, UnknownName):  # that is no matter of rules
                raise
            except UsageError as reason:
                variant = variant._replace(request=None, refused=str(reason))
        found.append(variant)
    if not found:
        raise UsageError(f"the rules of {base.game} leave nothing open that could be varied.")
    return Plan(base, tuple(found))


def saved_plan(base: Request, identity: Mapping[str, Any]) -> Plan:
    """The plan of a saved comparison; strategies are not loaded, as in `Request.from_json`.

    Parameters
    ----------
    base
        The request that was compared with its variants.
    identity
        What `Plan.identity` gave.

    Raises
    ------
    ResultsError
        If it does not describe a comparison, or one of other alternatives than there are now.
    """
    values = {(key, toml_text(value)): value for key, value in _alternatives(base)}
    found = []
    try:
        entries = items(identity, "sensitivity", list)[1:]
        if len(entries) > len(values):
            raise ValueError(f"it has {len(entries)} variants")
        for entry in entries:
            key, text, *refused = (typed(word, "a variant", str) for word in entry)
            found.append(_variant(base, key, values[key, text], "".join(refused)))
    except (KeyError, TypeError, ValueError) as reason:
        raise ResultsError(
            "the description of the saved comparison is damaged, or of another version "
            f"({type(reason).__name__}: {reason})."
        ) from None
    return Plan(base, tuple(found))


def _alternatives(base: Request) -> Iterator[tuple[str, Any]]:
    """Assumptions and their values other than the one in force."""
    for setting in base.find_game().settings:
        if setting.source == "assumption":
            for value in setting.alternatives:
                parsed = setting.parse(value) if setting.parse is not None else value
                if parsed != base.rules[setting.key]:
                    yield setting.key, parsed


def _variant(base: Request, key: str, value: Any, refused: str = "") -> Variant:
    """The request with one rule changed, or why not: as ``refused`` says, or as the rules do."""
    label = f"{key} = {_difference(value, base.rules[key])}"
    request = None
    if not refused:
        try:
            rules = settle(base.find_game(), base.players, {**base.rules, key: value})
            request = replace(base, rules=rules)
        except RulesError as reason:
            refused = str(reason)
    return Variant(key, toml_text(value), label, request, refused)


def _difference(value: Any, usual: Any) -> str:
    """A value as text; of a table only the entries that differ."""
    if not isinstance(value, dict) or not isinstance(usual, dict):
        return toml_text(value)
    return toml_text({key: item for key, item in value.items() if item != usual.get(key)})


def conclude(plan: Plan, play: Play) -> Sensitivity:
    """Get what can be had of every variant, and compare; without the first part there is nothing.

    Raises
    ------
    NotPlayed
        If a saved run has nothing of the rules as assumed.
    """
    usual = _run("main", "as assumed", plan.base, play)
    runs: dict[int, Run] = {}
    for number, variant in enumerate(plan.variants, start=1):
        if variant.request is not None:
            with contextlib.suppress(NotPlayed):
                runs[number] = _run(f"variant-{number}", variant.label, variant.request, play)
    comparison = compare(usual, list(runs.values()), plan.base.find_game())
    verdicts = {usual.label: _verdict(plan.base, usual)}
    for number, run in runs.items():
        request = plan.variants[number - 1].request
        if request is not None:
            verdicts[run.label] = _verdict(request, run)
    varied = dict(zip(runs, comparison.variants, strict=True))
    variants = [
        (variant, varied.get(number))
        for number, variant in enumerate(plan.variants, start=1)
        if variant.request is None or number in varied
    ]
    return Sensitivity(plan.base, tuple(variants), comparison, verdicts)


def _run(name: str, label: str, request: Request, play: Play) -> Run:
    sequence = request.sequence()
    experiment = replace(request.experiment(), detail="fairness")
    result = play(name, experiment, sequence)
    return Run(label, result, sequence, study_of(request.game).decisive(result))


def _verdict(request: Request, run: Run) -> tuple[str, str]:
    """What `fairness` answers from this run alone: the verdict, and a sentence."""
    margin = WIN_SHARE_MARGIN if request.margin is None else request.margin
    found = fairness.judge(run.result, request.find_game(), run.sequence, margin)
    asked = replace(request, command="fairness")
    with contextlib.suppress(NotPlayed):
        found = study_of(request.game).judge(asked, found, run.result, "main", _NothingMore())
    return found.verdict, found.answer


class _NothingMore:
    """Stands for where further parts come from: there are none."""

    thorough = False
    parts: Sequence[Part] = ()

    def __call__(
        self, name: str, experiment: Experiment, sequence: Watching | None = None
    ) -> ResultSet:
        raise NotPlayed(f"the part {name!r} is not needed.")


def table(found: Sensitivity) -> pd.DataFrame:
    """A row a figure of each run."""
    import pandas as pd

    verdicts = {label: verdict for label, (verdict, _) in found.verdicts.items()}
    rows = _rows("", "", found.comparison.usual, verdicts)
    for variant, varied in found.variants:
        rows += [] if varied is None else _rows(variant.setting, variant.value, varied, verdicts)
    return pd.DataFrame(rows)


def _rows(
    setting: str, value: str, varied: Varied, verdicts: Mapping[str, str]
) -> list[dict[str, Any]]:
    """A row a figure of one run."""
    rows = []
    for name, figure in varied.figures.items():
        change = varied.changes.get(name)
        by = Estimate(None) if change is None else change.estimate
        rows.append(
            {
                "setting": setting,
                "value": value,
                "verdict": verdicts[varied.label],
                "figure": name,
                "estimate": figure.value,
                "low": figure.low,
                "high": figure.high,
                "change": by.value,
                "change_low": by.low,
                "change_high": by.high,
            }
        )
    return rows


def headline(found: Sensitivity) -> pd.DataFrame | None:
    """The first headline under every variant; its range is that of the change, from the usual one.

    So it shows what the verdict goes by: a variant matters if its range leaves the usual figure
    out.
    """
    import pandas as pd

    comparison = found.comparison
    name = comparison.headlines[0]
    main = comparison.usual.figures[name].value
    rows = []
    for varied in comparison.variants:
        figure = varied.figures.get(name)
        if main is None or figure is None or figure.value is None:
            continue
        change = varied.changes[name].estimate
        low, high = (None if end is None else main + end for end in (change.low, change.high))
        text = comparison.said(name, figure)
        rows.append(
            {"label": varied.label, "value": figure.value, "low": low, "high": high, "said": text}
        )
    if not rows:
        return None
    frame = pd.DataFrame(rows).astype({"value": float, "low": float, "high": float})
    frame.attrs.update(base=main, what=comparison.named(name), share=name in comparison.shares)
    frame.attrs["title"] = comparison.verdict(name).rstrip(".")
    return frame
