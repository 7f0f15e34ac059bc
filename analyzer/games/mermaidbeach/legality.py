"""What to say of answers that the rules forbid, once a kernel has found that there are some."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from analyzer.engine.asking import IllegalAnswer, failure
from analyzer.games.mermaidbeach import layout as at
from analyzer.games.mermaidbeach.columns import Columns, GamesInLanes
from analyzer.games.mermaidbeach.state import ASK, CARD_NAMES, KINDS, sorts_of


def refuse_turns(lanes: GamesInLanes) -> None:
    """Report an action that cannot be played, or a question that cannot be asked."""
    raise failure(_illegal_turns(lanes))


def refuse_offers(lanes: GamesInLanes) -> None:
    """Report an answer that is neither yes nor no to a card drawn."""
    raise failure(_illegal_offers(lanes))


def refuse_targets(lanes: GamesInLanes) -> None:
    """Report an opponent or a shell card that is not there."""
    raise failure(one for columns in lanes.aims_by_group for one in _illegal_targets(columns))


def refuse_passes(lanes: GamesInLanes) -> None:
    """Report a card to be passed that is not in the hand."""
    raise failure(one for columns in lanes.passes_by_seat for one in _illegal_passes(columns))


def _illegal(lanes: GamesInLanes, group: int, lane: int, decision: int, what: str) -> IllegalAnswer:
    seat, moment = lanes.groups[group].seat, lanes.moment(lane, counted=False)
    return IllegalAnswer(seat, lanes.game_of(lane), moment, at.DECISIONS[decision], what)


def _illegal_turns(lanes: GamesInLanes) -> Iterator[IllegalAnswer]:
    asked = lanes.asked
    for i in range(len(lanes.groups)):
        for g in np.flatnonzero(asked.active[at.ACTION, i]).tolist():
            answer, legal = int(asked.answers[at.ACTION, i, g]), sorts_of(int(lanes.now.actions[g]))
            if answer not in legal:
                told = ", ".join(f"{sort} ({_action_name(sort)})" for sort in legal)
                what = f"it chose {answer}; legal were {told}."
                yield _illegal(lanes, i, g, at.ACTION, what)
            elif answer == ASK:
                question = int(asked.answers[at.QUESTION, i, g])
                kind, who = question & 15, question >> 4
                # As it was shown: some hands have changed since.
                kinds = [sort for sort in sorts_of(int(lanes.shown.hand[i][g])) if sort < KINDS]
                if kind not in kinds or not 0 < who < lanes.players:
                    what = (
                        f"it answered {question}, which is kind {kind} of opponent {who}; "
                        f"legal are kinds {', '.join(map(str, kinds))} + 16 * opponent 1 to "
                        f"{lanes.players - 1}."
                    )
                    yield _illegal(lanes, i, g, at.QUESTION, what)


def _illegal_offers(lanes: GamesInLanes) -> Iterator[IllegalAnswer]:
    for i in range(len(lanes.groups)):
        answers = lanes.asked.answers[at.BEACH, i]
        for g in np.flatnonzero(lanes.asked.active[at.BEACH, i] & (answers > 1)).tolist():
            what = f"it answered {answers[g]}; 1 plays the card and 0 keeps it."
            yield _illegal(lanes, i, g, at.BEACH, what)


def _illegal_in(columns: Columns, column: int, what: str) -> IllegalAnswer:
    game, moment = columns.game(column), columns.moment(column)
    return IllegalAnswer(columns.group.seat, game, moment, columns.decision, what)


def _illegal_targets(columns: Columns) -> Iterator[IllegalAnswer]:
    players = columns.lanes.players
    shells: NDArray[Any] | None = None
    if columns.number and columns.decision == "shell":
        shells = columns.shown(columns.most)["shells"]
    for c in range(columns.number):
        answer = int(columns.answers[c])
        if shells is None:
            if not 0 < answer < players:
                what = f"it chose opponent {answer}; there are 1 to {players - 1}."
                yield _illegal_in(columns, c, what)
            continue
        legal = [(d, v) for d in range(1, players) for v in sorts_of(int(shells[d, c]))]
        if (answer >> 4, answer & 15) not in legal:
            told = ", ".join(f"{v} + 16 * {d}" for d, v in legal)
            what = (
                f"it answered {answer}, which is a shell card of {answer & 15} of opponent "
                f"{answer >> 4}; legal were {told}."
            )
            yield _illegal_in(columns, c, what)


def _illegal_passes(columns: Columns) -> Iterator[IllegalAnswer]:
    hands = columns.lanes.passes.hands[columns.sitting]
    for c in range(columns.number):
        answer, legal = int(columns.answers[c]), sorts_of(int(hands[c]))
        if columns.active[c] and answer not in legal:
            told = ", ".join(f"{sort} ({CARD_NAMES[sort]})" for sort in legal)
            what = f"it chose card {answer}, but its hand was {told}."
            yield _illegal_in(columns, c, what)


def _action_name(action: int) -> str:
    if action == ASK:
        return "ask"
    return f"pair of item {action}" if action < KINDS else CARD_NAMES[action]
