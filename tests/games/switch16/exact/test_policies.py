"""Policy tables: the baselines against the twin's, legality, files."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from analyzer.errors import OutputError, ResultsError, UnknownName, UsageError
from analyzer.games.switch16.exact.policies import (
    UNIFORM,
    PolicyTable,
    baseline,
    load_policy,
    save_policy,
)
from analyzer.games.switch16.exact.states import Setup, held, on_deck
from tests.games.switch16.exact.tables import TablePlayer, random_policy, rules_of
from tests.reference.switch16 import Baseline, Deck, Table

RISKS = (
    "never", "always", "threshold:0.5", "threshold:0.421296", "greedy", "to-milestone", "protected",
)  # fmt: skip
GREENS = ("never", "leader", "random")
BLOCKS = ("hold", "deny:16", "deny:5")
SMALL = Setup(players=3, cards=5, milestone=3, milestone_resume=4, dice=((1, 2), (4, 3)))


def random_table(setup: Setup, source: random.Random) -> Table:
    """Any position at all."""
    decks = []
    for _ in range(setup.players):
        top = source.randint(1, setup.cards)
        protected = top > setup.milestone
        if top == setup.milestone_resume == setup.milestone:
            protected = source.random() < 0.5
        decks.append(Deck(top, protected))
    mover = source.randrange(setup.players)
    table = Table(rules_of(setup), decks, mover, throw=source.randint(0, 2))
    who = source.randrange(setup.players)
    where = source.choice(("tray", "holder", "blocked"))
    if where != "tray":
        setattr(table, where, who)
    return table


@pytest.mark.parametrize("setup", [Setup(), Setup(players=3), SMALL, replace(SMALL, players=4)])
def test_baselines_decide_as_the_twin_does(setup: Setup) -> None:
    """In random positions table and twin give the same answer to every question."""
    source = random.Random(16)
    for number in range(max(len(RISKS), 7)):
        spec = f"{RISKS[number]}/{GREENS[number % 3]}/{BLOCKS[number % 3]}"
        table_player = TablePlayer(baseline(spec, setup))
        twin = Baseline(spec)
        for _ in range(150):
            table = random_table(setup, source)
            table.numbers = tuple(source.randint(1, 6) for _ in range(3))
            me = table.mover
            if table.top(me) > 1 and table.blocked != me:
                assert table_player.throws_again(table, me) == twin.throws_again(table, me)
            word = source.getrandbits(64)
            ours = table_player.swaps_with(table, me, word)
            assert ours == twin.swaps_with(table, me, word), (spec, table)
            lowest = min(table.top(seat) for seat in table.left_of(me))
            if lowest < table.top(me):
                tied = [seat for seat in table.left_of(me) if table.top(seat) == lowest]
                assert table_player.picks(table, me, tied) == twin.picks(table, me, tied)
            if table.blocked not in (None, me):
                assert table_player.takes_disc(table, me) == twin.takes_disc(table, me)
            if table.holder not in (None, me):
                assert table.holder is not None
                going = source.randint(1, setup.cards + 1 - table.top(me))
                ours = table_player.lays_after(table, table.holder, going)
                assert ours == twin.lays_after(table, table.holder, going), (spec, table)
            if table.holder is not None:
                assert table_player.lays_on(table, table.holder) is None


def test_every_baseline_and_random_policy_is_legal() -> None:
    """The checker accepts what is legal ..."""
    for risk in RISKS:
        for green in GREENS:
            for block in BLOCKS:
                baseline(f"{risk}/{green}/{block}", SMALL).check()
    random_policy(SMALL, np.random.default_rng(3)).check()


@pytest.mark.parametrize("table", ["risk", "green", "red", "block", "lay", "place"])
def test_illegal_choices_are_found(table: str) -> None:
    """... and names the table that holds a single wrong choice or has the wrong shape."""
    for wrong in (7, 100):
        policy = baseline("greedy/leader/deny:5", SMALL)
        getattr(policy, table)[-1, -1] = wrong
        with pytest.raises(ResultsError, match=table):
            policy.check()
    policy = baseline("greedy/leader/deny:5", SMALL)
    with pytest.raises(ResultsError, match=table):
        replace(policy, **{table: getattr(policy, table)[..., :-1]}).check()


def test_red_must_take_a_lowest_deck() -> None:
    """Another deck than the lowest is refused, and so is no swap where one is due."""
    setup = Setup(players=3, cards=5, milestone=3, milestone_resume=3)
    codes = [setup.code(4, True), setup.code(2, False), setup.code(1, False)]
    position = (codes[0] * setup.decks + codes[1]) * setup.decks + codes[2]
    assert baseline("never/never/hold", setup).red[0, position] == 2
    for wrong in (0, 1):
        policy = baseline("never/never/hold", setup)
        policy.red[0, position] = wrong
        with pytest.raises(ResultsError, match="red"):
            policy.check()


@pytest.mark.parametrize(
    ("spec", "error", "words"),
    [
        ("greedy/leader", UsageError, "RISK/GREEN/BLOCK"),
        ("gredy/leader/hold", UnknownName, "greedy"),
        ("greedy/lader/hold", UnknownName, "leader"),
        ("greedy/leader/holt", UnknownName, "hold"),
        ("greedy:3/leader/hold", UsageError, "no number"),
        ("greedy/leader/hold:3", UsageError, "no number"),
        ("threshold:x/leader/hold", UsageError, "threshold:0.5"),
        ("greedy/leader/deny", UsageError, "deny:16"),
    ],
)
def test_misspelled_combinations(spec: str, error: type[Exception], words: str) -> None:
    """The message says what is allowed."""
    with pytest.raises(error, match=words):
        baseline(spec, SMALL)


def test_rows_tell_the_table_in_words() -> None:
    """Only situations that can arise are listed, and each choice is the table's."""
    setup = replace(SMALL, players=2)
    policy = baseline("greedy/random/deny:5", setup)
    for decision, table in policy.tables().items():
        rows = list(policy.rows(decision))
        assert len(rows) == policy.asked(decision).sum() > 0
        assert {"top_0", "protected_1", "disc", "choice"} <= set(rows[0])
        assert sum(row["choice"] for row in rows) == table[policy.asked(decision)].sum()
    green = next(
        row for row in policy.rows("green")
        if (row["top_0"], row["top_1"], row["disc"], row["throw"]) == (2, 4, "on deck 1", "bust")
    )  # fmt: skip
    assert green["choice"] == UNIFORM
    assert all(row["disc"] == "on deck 1" for row in policy.rows("block"))
    lay = [row for row in policy.rows("lay") if (row["top_1"], row["throw"]) == (3, "clears 3")]
    assert lay
    assert all((row["choice"], row["disc"], row["mover"]) == (0, "held by 0", 1) for row in lay)


def test_files_bring_a_policy_back(tmp_path: Path) -> None:
    """What is saved is read again, byte for byte the same when saved once more."""
    policy = random_policy(SMALL, np.random.default_rng(4))
    policy = replace(policy, name="anything", facts={"win_share": [0.5, 0.25, 0.25]})
    data, about = save_policy(policy, tmp_path / "deep" / "policy-0.5")
    assert (data.name, about.name) == ("policy-0.5.npz", "policy-0.5.json")
    for path in (data, about, tmp_path / "deep" / "policy-0.5"):
        again = load_policy(path)
        assert (again.setup, again.name, again.facts) == (SMALL, policy.name, policy.facts)
        for key, table in policy.tables().items():
            assert np.array_equal(getattr(again, key), table)
    before = data.read_bytes(), about.read_bytes()
    save_policy(load_policy(data), data)
    assert (data.read_bytes(), about.read_bytes()) == before


def test_damaged_files_are_refused(tmp_path: Path) -> None:
    """A changed byte, a foreign description, illegal choices and missing files are told apart."""
    data, about = save_policy(baseline("greedy/leader/hold", SMALL), tmp_path / "policy")
    good, text = data.read_bytes(), about.read_text()
    data.write_bytes(good[:-1] + bytes([good[-1] ^ 1]))
    with pytest.raises(ResultsError, match="damaged"):
        load_policy(data)
    data.write_bytes(good)
    about.write_text(json.dumps(json.loads(text) | {"format": "something/1"}))
    with pytest.raises(ResultsError, match="format"):
        load_policy(data)
    about.write_text("{")
    with pytest.raises(ResultsError, match="cannot read"):
        load_policy(data)
    lacking = json.loads(text)
    del lacking["rules"]
    about.write_text(json.dumps(lacking))
    with pytest.raises(ResultsError, match="rules"):
        load_policy(data)
    with pytest.raises(ResultsError, match="solve switch16"):
        load_policy(tmp_path / "nowhere")
    illegal = baseline("greedy/leader/hold", SMALL)
    illegal.red[:] = 0
    save_policy(illegal, data)
    with pytest.raises(ResultsError, match="red"):
        load_policy(data)
    (tmp_path / "file").write_text("")
    with pytest.raises(OutputError, match="cannot write"):
        save_policy(illegal, tmp_path / "file" / "policy")


def test_empty_policy_does_the_default() -> None:
    """No risk, no swap, the disc is taken and kept, red takes the first lowest."""
    policy = PolicyTable.empty(SMALL)
    hold = baseline("never/never/hold", SMALL)
    for key, table in policy.tables().items():
        assert np.array_equal(table, getattr(hold, key))
    assert not policy.asked("block")[held(1)].any()
    assert policy.asked("block")[on_deck(1, 3), :, 0].all()
