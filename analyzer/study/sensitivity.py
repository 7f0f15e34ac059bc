"""What rests on assumptions: the rules as assumed, and every alternative to each, one at a time."""

from __future__ import annotations

import contextlib
import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from analyzer.errors import PluginError, ResultsError, RulesError, UnknownName, UsageError
from analyzer.plain import items, typed
from analyzer.rules import settle, toml_text
from analyzer.statistics.sensitivity import Comparison, Run, Varied, compare
from analyzer.statistics.tables import Estimate
from analyzer.statistics.wording import games
from analyzer.study.request import Request
from analyzer.study.stage import NotPlayed, Play

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
    """

    base: Request
    variants: tuple[tuple[Variant, Varied | None], ...]
    comparison: Comparison

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
        for entry in items(identity, "sensitivity", list)[1:]:
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
    varied = dict(zip(runs, comparison.variants, strict=True))
    variants = [
        (variant, varied.get(number))
        for number, variant in enumerate(plan.variants, start=1)
        if variant.request is None or number in varied
    ]
    return Sensitivity(plan.base, tuple(variants), comparison)


def _run(name: str, label: str, request: Request, play: Play) -> Run:
    sequence = request.sequence()
    return Run(label, play(name, request.experiment(), sequence), sequence)


def table(found: Sensitivity) -> pd.DataFrame:
    """A row a figure of each run."""
    import pandas as pd

    rows = _rows("", "", found.comparison.usual)
    for variant, varied in found.variants:
        rows += [] if varied is None else _rows(variant.setting, variant.value, varied)
    return pd.DataFrame(rows)


def _rows(setting: str, value: str, varied: Varied) -> list[dict[str, Any]]:
    """A row a figure of one run."""
    rows = []
    for name, figure in varied.figures.items():
        change = varied.changes.get(name)
        by = Estimate(None) if change is None else change.estimate
        rows.append(
            {
                "setting": setting,
                "value": value,
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
