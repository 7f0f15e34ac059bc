"""The JSON documents of the command line, as plain data.

Keys once released stay. Every figure ``NAME`` with an interval has ``NAME_ci`` beside it, two
numbers or null; what cannot be computed is null, never NaN.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import fields
from typing import Any

import numpy as np

from analyzer.statistics.tables import (
    CardWorth,
    Columns,
    CountRow,
    Estimate,
    Fairness,
    FieldFairness,
    Figures,
    Greed,
    Lifesavers,
    Measures,
    Player,
    SeatsTest,
    Suggestion,
    Summary,
)

__all__ = ["fairness_document", "simulate_document"]

Document = dict[str, Any]


def simulate_document(summary: Summary) -> Document:
    """What ``analyzer simulate --json`` prints: JSON-ready, schema ``analyzer/simulate/1``."""
    return {"schema": "analyzer/simulate/1", **_summary(summary), "answer": summary.answer}


def fairness_document(fairness: Fairness) -> Document:
    """What ``analyzer fairness --json`` prints: JSON-ready, schema ``analyzer/fairness/1``."""
    document = {
        "schema": "analyzer/fairness/1",
        **_summary(fairness.summary),
        "seats_test": _seats_test(fairness.seats_test),
        "verdict": fairness.verdict,
        "answer": fairness.answer,
    }
    if fairness.summary.greed is not None:
        document["greed"] = _greed(fairness.summary.greed)
    if fairness.fields:
        document["fields"] = [_field(field) for field in fairness.fields]
    if fairness.lifesavers is not None:
        document["lifesavers"] = _lifesavers(fairness.lifesavers, fairness.suggestion)
    return document | _figures(fairness.figures)


def _summary(summary: Summary) -> Document:
    document: Document = {
        "game": summary.game,
        "players": summary.players,
        "games": summary.games,
        **summary.parts,
        "seed": summary.seed,
        "unfinished": summary.unfinished,
        "precision_reached": summary.precision_reached,
        "interval_kind": summary.interval_kind,
        "rules": _plain(summary.rules),
        "rotated": summary.rotated,
        "seats": [{"seat": player.seat, **_player(player)} for player in summary.seats],
    }
    if summary.rotated:
        document["strategies"] = [
            {**_player(player), "copies": player.copies} for player in summary.strategies
        ]
    if summary.places is not None:
        document["places"] = _rows(summary.places, "win_share")
    metrics: Document = {}
    for name, value in summary.metrics.items():
        metrics |= _figure(name, value)
    if summary.exact:
        document["exact"] = [
            {"figure": f.figure, "exact": f.exact, "estimate": f.estimate, "z": f.z}
            for f in summary.exact
        ]
    rate = summary.games / summary.seconds if summary.seconds > 0 else None
    return {
        **document,
        "metrics": metrics,
        "throughput": {"seconds": summary.seconds, "games_per_second": rate},
        "note": summary.note,
    }


def _player(player: Player) -> Document:
    return {
        "strategy": player.strategy,
        **_figure("win_share", player.win_share),
        "outright_wins": player.outright_wins,
        **_figure("mean_score", player.mean_score),
        "sd_score": _number(player.sd_score),
    }


def _seats_test(test: SeatsTest) -> Document:
    return {
        "p_value": _number(test.p_value),
        **_figure("first_player_advantage", test.first_player_advantage),
        "advantages": [
            {"seat": seat, **_figure("advantage", advantage)}
            for seat, advantage in enumerate(test.advantages, start=1)
        ],
        "confounded": test.confounded,
    }


def _field(field: FieldFairness) -> Document:
    document = {
        "field": field.field,
        **_summary(field.summary),
        "seats_test": _seats_test(field.seats_test),
        "verdict": field.verdict,
        "answer": field.answer,
    }
    if field.lifesavers is not None:
        document["lifesavers"] = _lifesavers(field.lifesavers, None)
    return document | _figures(field.figures)


def _figures(figures: Figures) -> Document:
    """What only one game is asked, whatever it is; tables over games stay out."""
    return {name: _spelled(figure) for name, figure in figures.items()}


def _spelled(figure: Any) -> Document:
    document: Document = {}
    for field in fields(figure):
        value = getattr(figure, field.name)
        if isinstance(value, Estimate):
            document |= _figure(field.name, value)
        elif isinstance(value, tuple):
            document[field.name] = [_spelled(item) for item in value]
        elif not isinstance(value, Mapping):
            document[field.name] = _plain(value)
    return document


def _lifesavers(found: Lifesavers, suggestion: Suggestion | None) -> Document:
    return {
        "by_count": [_count_row(row) for row in found.by_count],
        **_figure("slope", found.slope),
        **_figure("slope_within", found.slope_within),
        **_figure("handicap", found.handicap),
        **_figure("gift", found.gift),
        **_figure("compensation", found.compensation),
        **_figure("round_win_gap", found.round_win_gap),
        "gap_counts": list(found.gap_counts),
        **_figure("hand_share", found.hand_share),
        "rotation": {
            **_figure("one_round", found.rotation.one_round),
            **_figure("final", found.rotation.final),
        },
        "flat_count": found.flat_count,
        "cards": [_card(card) for card in found.cards],
        "suggestion": None if suggestion is None else _suggestion(suggestion),
        "verdict": found.verdict,
    }


def _greed(found: Greed) -> Document:
    figures: Document = {}
    for name, value in found.figures.items():
        figures |= _figure(name, value)
    return {
        "strategy": found.strategy,
        "games": found.games,
        "rivals": [
            {
                "family": rival.family,
                "policy": rival.policy,
                "own": rival.own,
                **_figure("win_share", rival.win_share),
                **_figure("change", rival.change),
            }
            for rival in found.rivals
        ],
        **figures,
        "by_turn": _rows(found.turns, "ahead_wins"),
        "by_busts": _rows(found.busts, "win_share"),
        "verdict": found.verdict,
        "answer": found.answer,
    }


def _rows(table: Columns, figure: str) -> list[Document]:
    """A table as a list of rows, with the interval of one figure beside it."""
    rows = []
    for cells in zip(*table.values(), strict=True):
        row = dict(zip(table, _plain(cells), strict=True))
        low, high = row.pop("low"), row.pop("high")
        rows.append({**row, f"{figure}_ci": None if low is None or high is None else [low, high]})
    return rows


def _count_row(row: CountRow) -> Document:
    return {
        "lifesavers": row.lifesavers,
        "rounds": row.rounds,
        **_figure("mean_score", row.mean_score),
        "eliminated": _number(row.eliminated),
        "bonus": _number(row.bonus),
        "lost": _number(row.lost),
        **_figure("round_win", row.round_win),
    }


def _card(card: CardWorth) -> Document:
    return {
        "card": card.card,
        "printed": card.printed,
        **_figure("worth", card.worth),
        **_figure("worth_flat", card.worth_flat),
    }


def _suggestion(suggestion: Suggestion) -> Document:
    return {
        "preservers": list(suggestion.preservers),
        "before": _measures(suggestion.before),
        "after": _measures(suggestion.after),
        "bands": {
            "preservers": list(suggestion.bands_preservers),
            **_measures(suggestion.bands),
        },
        "rounds_tried": suggestion.rounds_tried,
    }


def _measures(measures: Measures) -> Document:
    return {
        **_figure("slope", measures.slope),
        **_figure("round_win_gap", measures.round_win_gap),
        **_figure("hand_share", measures.hand_share),
        **_figure("compensation", measures.compensation),
    }


def _figure(name: str, estimate: Estimate) -> Document:
    low, high = _number(estimate.low), _number(estimate.high)
    interval = None if low is None or high is None else [low, high]
    return {name: _number(estimate.value), f"{name}_ci": interval}


def _number(value: float | None) -> float | None:
    """A Python float, or None for what is not a finite number."""
    return float(value) if value is not None and math.isfinite(value) else None


def _plain(value: Any) -> Any:
    """The same value in types that JSON knows."""
    if isinstance(value, Mapping):
        return {str(key): _plain(inside) for key, inside in value.items()}
    if isinstance(value, list | tuple | np.ndarray):
        return [_plain(inside) for inside in value]
    if isinstance(value, np.generic):
        return _plain(value.item())
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
