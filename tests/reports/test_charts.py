"""Titles that are true of the data, data that are the answer's, drawings that never fail."""

from __future__ import annotations

import dataclasses
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from matplotlib.figure import Figure

from analyzer_reports.charts import scores, settling, wins
from analyzer_reports.games.turnthetide.charts import (
    cards,
    fields,
    luck,
    outcomes,
    preservers,
    printings,
    repair,
    settling_slope,
    skill,
)
from analyzer_reports.games.turnthetide.strips import halves_text, runs
from analyzer_reports.render import drawing, picture
from analyzer_reports.style import NARROW, WIDE
from tests.reports import samples as s

CHARTS = (
    preservers,
    cards,
    outcomes,
    luck,
    fields,
    printings,
    repair,
    skill,
    wins,
    scores,
    settling,
    settling_slope,
)
FLAT = s.fairness(tilt=-0.49, verdict="no-variation", rules=s.rules(4, allocation="flat:5"))
ANSWERS: dict[str, Any] = {
    "over": s.fairness(fields=s.FIELDS, suggested=True),
    "under": s.fairness(("random",) * 5, tilt=-0.6),
    "fair": s.fairness(tilt=0.01),
    "open": s.fairness(tilt=0.1, games=40),
    "flat": FLAT,
    "few": s.fairness(games=3),
    "one game": s.fairness(games=1),
    "two players": s.fairness(("random",) * 2, games=2000),
    "six players": s.fairness(("random",) * 6, games=20_000),
    "one round": s.fairness(
        rules=s.rules(4, rounds=1),
        saved={"hand_share": s.NONE, "rotation": s.Rotation(s.about(0.15, 0.01, 1000), s.NONE)},
    ),
    "no flat run": s.fairness(
        saved={
            "handicap": s.NONE,
            "gift": s.NONE,
            "compensation": s.NONE,
            "cards": tuple(
                dataclasses.replace(card, worth_flat=s.NONE) for card in s.lifesavers().cards
            ),
        }
    ),
    "simulate": s.summary(),
    "rotated": s.summary(s.FIELDS[0][0], shares=(0.44, 0.16, 0.38, 0.02), rotated=True),
    "names": s.fairness(
        ("$x^$", "\\frac{", "a" * 200, "\u65e5\u672c \u202e<b>"),
        fields=((("_{", "^", "$$", "%"), 0.3),),
    ),
}


def title(chart: ModuleType, answer: Any) -> str:
    """What the chart says about an answer."""
    return str(chart.CHART.words(chart.CHART.data(answer)).title)


@pytest.mark.parametrize(
    ("name", "width"),
    [(name, WIDE) for name in ANSWERS]
    + [(name, NARROW) for name in ("over", "few", "six players", "names")],
)
def test_every_answer_can_be_drawn(name: str, width: int) -> None:
    with drawing():
        for module in CHARTS:
            data = module.CHART.data(ANSWERS[name])
            if data.empty:
                continue
            figure = picture(module.CHART, data, width)
            assert isinstance(figure, Figure)
            assert figure.axes[0].has_data() or figure.axes[0].patches or figure.axes[0].child_axes
            words = module.CHART.words(data)
            assert words.alt.startswith(words.title.split(":", maxsplit=1)[0])
            assert words.caption.endswith(".")
            table = module.CHART.table(data)
            assert {column.key for column in module.CHART.columns(data)} <= set(table.columns)


def test_charts_without_data_are_empty() -> None:
    simulated = ANSWERS["simulate"]
    preserver_charts = (preservers, cards, outcomes, luck, fields, printings, repair, skill)
    for module in (*preserver_charts, settling_slope):
        assert module.CHART.data(simulated).empty
    assert fields.CHART.data(ANSWERS["fair"]).empty
    assert printings.CHART.data(ANSWERS["fair"]).empty
    assert settling.CHART.data(s.summary(games=900)).empty
    assert settling_slope.CHART.data(FLAT).empty


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("over", "Hands with more preservers score more"),
        ("under", "Hands with more preservers score less"),
        ("fair", "One more preserver goes with at most 0.05 points a round, more or less"),
        ("open", "Too few games to tell whether preservers help"),
        ("few", "Too few games to tell whether preservers help"),
        ("flat", "With equal preservers, hands whose cards print more of them score less"),
    ],
)
def test_the_answer_in_the_main_title(name: str, words: str) -> None:
    assert title(preservers, ANSWERS[name]) == words


def test_an_undecided_slope_may_have_a_side() -> None:
    leaning = s.fairness(games=2000, tilt=0.1, verdict="undecided")
    assert title(preservers, leaning).startswith("Hands with more preservers seem to score more")
    other = s.fairness(games=2000, tilt=-0.1, verdict="undecided")
    assert title(preservers, other).startswith("Hands with more preservers seem to score less")


def test_a_single_count_has_nothing_to_compare() -> None:
    only = s.lifesavers(verdict="no-variation").by_count[5:6]
    answer = s.fairness(verdict="no-variation", saved={"by_count": only, "slope": s.NONE})
    assert title(preservers, answer) == "Every hand holds 5 preservers: there is nothing to compare"


def test_the_flat_line_is_the_mean_of_all_hands() -> None:
    data = preservers.CHART.data(ANSWERS["over"])
    mean = np.average([row[2] for row in s.BY_COUNT], weights=[row[1] for row in s.BY_COUNT])
    assert data.attrs["fair"] == pytest.approx(mean, abs=1e-3)
    assert data["share"].sum() == pytest.approx(1)
    assert list(data["count"]) == list(range(11))


def test_good_cards_are_named_only_when_told_apart() -> None:
    assert (
        title(cards, ANSWERS["over"])
        == "On average, cards that print more preservers are better to hold"
    )
    assert title(cards, FLAT) == "On average, cards that print more preservers are worse to hold"
    assert title(cards, ANSWERS["few"]) == "Too few games to tell good cards from bad ones"
    odd = {5: 0.3, 60: -0.4}
    others = tuple(
        dataclasses.replace(card, worth=s.about(odd.get(card.card, 0.0), 0.01, 1000))
        for card in s.lifesavers().cards
    )
    answer = s.fairness(saved={"cards": others})
    assert title(cards, answer) == "Card 5 helps a hand most, card 60 hurts it most"
    level = tuple(
        dataclasses.replace(card, worth=s.about(0.29, 0.01, 1000)) if card.card == 6 else card
        for card in others
    )
    answer = s.fairness(saved={"cards": level})
    assert title(cards, answer) == "Cards 5 and 6 help a hand most, card 60 hurts it most"


def test_the_card_alone_is_a_second_series_only_where_it_differs() -> None:
    headings = [c.heading for c in cards.CHART.columns(cards.CHART.data(ANSWERS["over"]))]
    assert "Alone" in headings
    for name in ("flat", "no flat run"):
        data = cards.CHART.data(ANSWERS[name])
        assert "Alone" not in [c.heading for c in cards.CHART.columns(data)]
        assert "Gray" not in cards.CHART.words(data).caption


def test_eliminations_compare_poor_and_rich_hands() -> None:
    assert title(outcomes, ANSWERS["over"]) == (
        "With 3 preservers a player is eliminated in about 35% of rounds, with 6 in 13%"
    )
    assert title(outcomes, ANSWERS["few"]) == "Too few games to tell how often hands are eliminated"
    # Where all hold as many, the cards print what no hand holds.
    assert title(outcomes, FLAT).startswith("With cards that print 3 a player is eliminated")


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        (
            s.about(0.15, 0.01, 99),
            s.about(0.0, 0.01, 99),
            "removes the luck of the deal: from 15% to 0%",
        ),
        (s.about(0.15, 0.01, 99), s.Estimate(0.0), "to all alike, passing it round evens out: fr"),
        (s.about(0.15, 0.01, 99), s.about(0.08, 0.01, 99), "evens out part"),
        (s.about(0.15, 0.01, 99), s.about(0.14, 0.03, 99), "is not shown to even out"),
        (
            s.about(0.02, 0.03, 99),
            s.about(0.0, 0.01, 99),
            "do not show that the dealt hand decides",
        ),
        (s.Estimate(0.15), s.Estimate(0.1), "Too few games to tell what the dealt hand decides"),
        (s.about(0.15, 0.01, 99), s.NONE, "The dealt hand makes 15% of the differences in a round"),
    ],
)
def test_what_passing_repairs(before: s.Estimate, after: s.Estimate, words: str) -> None:
    assert words in title(luck, s.fairness(saved={"rotation": s.Rotation(before, after)}))


def test_fields_say_whether_they_agree() -> None:
    assert title(fields, ANSWERS["over"]) == "The answer depends on how people play"
    same = s.fairness(fields=s.FIELDS[:2])
    words = "Whichever of these ways people play, the verdict is the same: too generous"
    assert title(fields, same) == words
    data = fields.CHART.data(ANSWERS["over"])
    assert list(data["label"])[:2] == ["random", "lowest, highest, reactive, random"]
    assert data.attrs["verdicts"] == ["too generous", "too generous", "too generous", "fair"]
    assert data["measure"].nunique() == 5


def skilled(*strengths: float) -> s.Fairness:
    answer = s.fairness(fields=[(("reactive",) * 4, 0.05), (("counting",) * 4, 0.5)])
    ways = zip(("random", "reactive", "counting"), strengths, strict=True)
    return dataclasses.replace(answer, strengths={k: s.about(x, 0.01, 1e5) for k, x in ways})


def test_tables_stand_in_the_order_of_their_strength() -> None:
    answer = skilled(0.1, 0.3, 0.2)
    assert list(dict.fromkeys(fields.CHART.data(answer)["label"])) == [
        "random", "counting", "reactive"
    ]  # fmt: skip
    rows = skill.CHART.data(answer)
    assert list(rows["strength"])[:3] == [0.1, 0.2, 0.3]
    assert title(skill, answer) == (
        "Among random players 33% of a preserver pays for its cards, among reactive players 91%"
    )
    assert skill.CHART.data(ANSWERS["over"]).empty


def test_who_wins_is_claimed_only_when_shown() -> None:
    assert wins.CHART.data(ANSWERS["simulate"]).empty
    assert (
        title(wins, s.summary(game="other")) == "No seat is shown to win more than its equal share"
    )
    assert (
        title(wins, s.summary(games=3, game="other")) == "3 games are too few to tell who wins more"
    )
    mixed = s.summary(s.FIELDS[0][0], shares=(0.44, 0.16, 0.38, 0.02), verdict="ranked")
    words = title(wins, mixed).replace("\N{NO-BREAK SPACE}", " ")
    assert words == "Lowest (seat 1) and reactive (seat 3) win more than an equal share"
    one = s.summary(shares=(0.28, 0.24, 0.24, 0.24), verdict="ranked", game="other")
    assert title(wins, one) == "Seat 1 wins most: 28.0% of games"
    # One range of four may miss while the test of all seats together finds nothing.
    quiet = dataclasses.replace(one, verdict="level")
    words = wins.CHART.words(wins.CHART.data(quiet))
    assert words.title == "No seat is shown to win more than its equal share"
    assert "may miss by chance" in words.caption
    # Above an equal share, but perhaps not above the next.
    close = dataclasses.replace(one, verdict="too-close")
    assert title(wins, close) == "Seat 1 wins more than an equal share"
    nobody = s.summary(shares=(0.0,) * 4, verdict="nobody-wins", game="other")
    nobody = dataclasses.replace(nobody, unfinished=nobody.games)
    words = wins.CHART.words(wins.CHART.data(nobody))
    assert words.title == "Nobody wins a game before the turn limit"
    assert "the equal share, 0" in words.caption


def test_under_rotation_strategies_are_compared() -> None:
    data = wins.CHART.data(ANSWERS["rotated"])
    names = ["lowest", "highest", "reactive", "random"]
    assert list(data["label"]) == ["lowest", "reactive", "highest", "random"]
    for chart in (scores, settling):
        rows = chart.CHART.data(ANSWERS["rotated"])
        assert [rows.attrs["labels"][player] for player in range(1, 5)] == names
        titles = [column.heading for column in chart.CHART.columns(rows)]
        assert [one for one in titles if one in names] == names
        assert not [one for one in titles if one.startswith("Seat")]
    rows = settling.CHART.data(ANSWERS["rotated"])
    assert rows.attrs["label"] == "lowest"
    last = rows[rows["games"] == rows["games"].max()]
    assert list(last["value"]) == pytest.approx([0.44, 0.16, 0.38, 0.02])
    rows = scores.CHART.data(ANSWERS["rotated"])
    means = [rows.attrs["means"][player] for player in range(1, 5)]
    assert sorted(means, reverse=True) == [means[i] for i in (0, 2, 1, 3)]


def test_scores_compare_players_only_when_told_apart() -> None:
    rows = scores.CHART.data(ANSWERS["simulate"])
    inside = rows[rows["score"].between(4, 9)]["games"].sum() / rows["games"].sum()
    assert title(scores, ANSWERS["simulate"]) == (
        f"{100 * inside:.0f}% of all final scores are from 4 to 9 points"
    )
    assert inside >= 0.5
    apart = s.summary(s.FIELDS[0][0], shares=(0.44, 0.16, 0.38, 0.02))
    assert "averages 8.8 points a game" in title(scores, apart)
    few = s.summary(s.FIELDS[0][0], shares=(0.44, 0.16, 0.38, 0.02), games=5)
    assert "averages" not in title(scores, few)
    assert scores.CHART.data(ANSWERS["simulate"]).attrs["labels"] == {1: "Each of 4 equal players"}
    assert len(scores.CHART.data(apart).attrs["labels"]) == 4
    rows = scores.CHART.data(ANSWERS["simulate"])
    hollow = rows.assign(games=(100 * (rows["score"] - 9.5).abs() ** 2).astype(int) + 1)
    assert scores.CHART.words(hollow).title.startswith("Final scores are mostly low or high")
    zero = rows.assign(games=1 + 1000 * (rows["score"] == 0))
    assert scores.CHART.words(zero).title == "97% of players end with 0"
    table = scores.CHART.table(scores.CHART.data(apart))
    assert table[[1, 2, 3, 4]].sum().to_numpy() == pytest.approx(1)


def test_since_when_the_answer_stands() -> None:
    assert title(settling_slope, ANSWERS["over"]) == (
        "At every look from 1,024 games on the answer was the same"
    )
    late = s.lifesavers().history.assign(
        slope=0.58, low=[-0.1, -0.2, *[0.5] * 9], high=[0.7, 0.9, *[0.6] * 9]
    )
    answer = s.fairness(saved={"history": late})
    assert title(settling_slope, answer).startswith("At every look from 4,096 games")
    still = s.lifesavers().history.assign(slope=0.05, low=0.0, high=0.1)
    answer = s.fairness(saved={"history": still})
    assert title(settling_slope, answer) == "After 1,000,000 games the answer is still open"
    # A margin of the run's own decides, and is named.
    wide = s.fairness(saved={"history": still, "margin": 0.2})
    words = settling_slope.CHART.words(settling_slope.CHART.data(wide))
    assert words.title == "At every look from 1,024 games on the answer was the same"
    assert "0.2 points either side of 0" in words.caption


def test_win_shares_say_how_well_they_are_known() -> None:
    words = title(settling, s.summary(game="other"))
    assert (
        words == "After 1,000,000 games every win share is known to within 0.09 percentage points"
    )


def test_a_suggestion_counts_its_changes() -> None:
    assert (
        title(printings, ANSWERS["over"])
        == "The suggested printing changes 15 cards; in five bands, 12 cards"
    )
    assert title(repair, ANSWERS["over"]) == (
        "The suggested printing is better among random players, worse in some way among counting "
        "players"
    )
    same = dataclasses.replace(s.suggestion(), preservers=s.PRINTED)
    answer = s.suggesting(ANSWERS["over"], same)
    assert title(printings, answer) == "Today's printing is already the fairest one found"
    (table, _) = s.suggestion().tables_judged
    good = dataclasses.replace(s.suggestion(), tables_judged=(table, table))
    words = "The suggested printing leaves less to the hand dealt among random players"
    words += " and random players"
    assert title(repair, s.suggesting(ANSWERS["over"], good)) == words
    none = dataclasses.replace(table, after=s.measures(s.lifesavers(1000, tilt=0.99)))
    open_ = dataclasses.replace(s.suggestion(), tables_judged=(none, none))
    words = "The suggested printing is not shown to leave less to the hand dealt"
    assert title(repair, s.suggesting(ANSWERS["over"], open_)) == words
    few = s.fairness(games=20, suggested=True)
    assert title(repair, few) == "Too few games to tell what the suggested printing changes"


def test_printings_in_words() -> None:
    assert runs((0, 0, 1, 1, 1, 0)) == [(1, 2, 0), (3, 5, 1), (6, 6, 0)]
    assert [halves_text(h) for h in range(6)] == ["none", "half", "one", "1½", "2", "2½"]


def test_dollar_signs_stay_dollar_signs() -> None:
    with drawing():
        figure = picture(wins.CHART, wins.CHART.data(ANSWERS["names"]), WIDE)
        texts = [text for text in figure.axes[0].texts if "$x^$" in text.get_text()]
        assert texts and not any(text.get_parse_math() for text in texts)
