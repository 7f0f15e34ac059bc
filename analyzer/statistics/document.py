"""The JSON documents of the command line, as plain data.

Keys once released stay. Every figure ``NAME`` with an interval has ``NAME_ci`` beside it, two
numbers or null; what cannot be computed is null, never NaN.
"""

from __future__ import annotations

from analyzer.statistics.figures import Document, finite, plain, spelled, table_rows
from analyzer.statistics.figures import document as document_of
from analyzer.statistics.tables import Fairness, FieldFairness, Figures, Player, SeatsTest, Summary


def simulate_document(summary: Summary) -> Document:
    """What ``analyzer simulate --json`` prints: JSON-ready, schema ``analyzer/simulate/1``."""
    return {"schema": "analyzer/simulate/1", **_summary(summary), "answer": summary.answer}


def fairness_document(fairness: Fairness) -> Document:
    """What ``analyzer fairness --json`` prints: JSON-ready, schema ``analyzer/fairness/1``."""
    document = {"schema": "analyzer/fairness/1", **_judged(fairness)}
    if fairness.fields:
        document["fields"] = [
            {"field": field.field, **_judged(field), **_own(field.figures)}
            for field in fairness.fields
        ]
    if fairness.strengths:
        document["strengths"] = [
            {"strategy": spec, **spelled("mean_win_share", share)}
            for spec, share in fairness.strengths.items()
        ]
    return document | _own(fairness.figures)


def _judged(found: Fairness | FieldFairness) -> Document:
    return {
        **_summary(found.summary),
        "seats_test": _seats_test(found.seats_test),
        "verdict": found.verdict,
        "answer": found.answer,
    }


def _summary(summary: Summary) -> Document:
    document: Document = {
        "game": summary.game,
        "players": summary.players,
        "games": summary.games,
        **summary.parts,
        "seed": summary.seed,
        "unfinished": summary.unfinished,
        "precision_reached": summary.precision_reached,
        "games_needed": summary.games_needed,
        "interval_kind": summary.interval_kind,
        "rules": plain(summary.rules),
        "rotated": summary.rotated,
        "seats": [{"seat": player.seat, **_player(player)} for player in summary.seats],
    }
    if summary.rotated:
        document["strategies"] = [
            {**_player(player), "copies": player.copies} for player in summary.strategies
        ]
    if summary.places is not None:
        document["places"] = table_rows(summary.places, "win_share")
    metrics: Document = {}
    for name, value in summary.metrics.items():
        metrics |= spelled(name, value)
    rate = summary.games / summary.seconds if summary.seconds > 0 else None
    return {
        **document,
        **_own(summary.figures),
        "metrics": metrics,
        "shape": None if summary.shape is None else summary.shape.document(),
        "throughput": {"seconds": summary.seconds, "games_per_second": rate},
        "note": summary.note,
    }


def _player(player: Player) -> Document:
    return {
        "strategy": player.strategy,
        **spelled("win_share", player.win_share),
        "outright_wins": player.outright_wins,
        **spelled("mean_score", player.mean_score),
        "sd_score": finite(player.sd_score),
    }


def _seats_test(test: SeatsTest) -> Document:
    return {
        "p_value": finite(test.p_value),
        **spelled("first_player_advantage", test.first_player_advantage),
        "advantages": [
            {"seat": seat, **spelled("advantage", advantage)}
            for seat, advantage in enumerate(test.advantages, start=1)
        ],
        "confounded": test.confounded,
        "exchangeable": test.exchangeable,
    }


def _own(figures: Figures) -> Document:
    """What only one game has, whatever it is."""
    return {name: document_of(figure) for name, figure in figures.items()}
