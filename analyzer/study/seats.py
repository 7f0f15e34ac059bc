"""What `fairness` plays for a game without a question of its own: whether the seat matters."""

from __future__ import annotations

import contextlib

from analyzer.errors import UsageError
from analyzer.statistics import fairness
from analyzer.statistics.tables import Fairness
from analyzer.study.request import Request
from analyzer.study.stage import NotPlayed, Play, length

__all__ = ["check", "conclude"]


def check(request: Request) -> None:
    """Refuse to suggest: there is nothing to vary.

    Raises
    ------
    UsageError
        With the way out.
    """
    if request.suggest:
        raise UsageError(f"--suggest has nothing to suggest for {request.game}; leave it out.")


def conclude(request: Request, play: Play) -> Fairness:
    """Play what is needed, and answer."""
    game = request.find_game()
    sequence = request.sequence()
    main = play("main", request.experiment(), sequence)
    fields = []
    for number, specs in enumerate(request.fields, start=1):
        with contextlib.suppress(NotPlayed):
            experiment = request.experiment(strategies=specs, games=length(main))
            field = play(f"field-{number}", experiment)
            fields.append(fairness.judge_field("+".join(specs), field, None, game))
    return fairness.judge(main, None, game, sequence, None, tuple(fields))
