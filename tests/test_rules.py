"""Settings: every value is checked, wherever it comes from, and spelled the same in the end."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analyzer.errors import RulesError, UnknownName, UsageError
from analyzer.games.turnthetide.game import GAME
from analyzer.rules import describe, load_rules, settle, toml_text

PRINTED = (0,) * 12 + (1,) * 12 + (2,) * 12 + (1,) * 12 + (0,) * 12


@pytest.mark.parametrize("players", range(2, 7))
def test_defaults_depend_on_the_players(players: int) -> None:
    rules = load_rules(GAME, players)
    assert list(rules) == [setting.key for setting in GAME.settings]
    six = players == 6
    assert rules["hand_size"] == rules["hands"] == rules["tide_max"] == (10 if six else 12)
    assert rules["drowning"] == ("two-highest" if six else "highest")
    assert rules["rounds"] == players
    assert rules["end_at"] == (1 if players == 2 else 2)
    assert rules["preservers"] == PRINTED


def test_a_file_then_assignments_win(tmp_path: Path) -> None:
    file = tmp_path / "house.toml"
    file.write_text(
        '\ufeffgame = "turnthetide"\n[rules]\nbonus = 2\nhand_size = 10\n'
        'preservers = {"1-12" = 2, "60" = 1}\n'
    )
    rules = load_rules(GAME, 4, file, ["bonus=3", "allocation = flat:5", "drowning=two-highest"])
    assert (rules["bonus"], rules["hand_size"]) == (3, 10)
    assert rules["allocation"] == "flat:5"
    assert rules["drowning"] == "two-highest"
    assert rules["preservers"] == (2,) * 12 + PRINTED[12:59] + (1,)


def test_a_setting_that_follows_another() -> None:
    assert load_rules(GAME, 4, None, ["hand_size=10"])["hands"] == 10
    assert load_rules(GAME, 4, None, ["hand_size=15", "hands=12"])["hands"] == 12
    with pytest.raises(RulesError, match="tide cards"):
        load_rules(GAME, 4, None, ["hand_size=15"])


def test_assignments_are_toml_or_bare_words() -> None:
    half_counts = json.dumps(list(PRINTED))
    rules = load_rules(
        GAME,
        4,
        None,
        [
            f"preservers={half_counts}",
            'drowning="two-highest"',
            "eliminated_may_take_bonus=true",
            "bonus=0x0a",
        ],
    )
    assert rules["preservers"] == PRINTED
    assert rules["drowning"] == "two-highest"
    assert rules["eliminated_may_take_bonus"] is True
    assert rules["bonus"] == 10
    assert load_rules(GAME, 4, None, ["bonus=3", "bonus=3"])["bonus"] == 3


def test_rules_survive_json() -> None:
    rules = load_rules(GAME, 5, None, ['preservers={"1-30"=1}', "allocation=flat:007"])
    assert rules["allocation"] == "flat:7"
    assert settle(GAME, 5, json.loads(json.dumps(rules))) == rules


def test_unknown_settings_come_with_the_nearest() -> None:
    with pytest.raises(UnknownName, match=r"'tidemax'; did you mean: tide_max"):
        settle(GAME, 4, {"tidemax": 3})


plain = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text()
    | st.dates()
    | st.sampled_from(["flat:3", "printed", "none", "highest", "13-24", "flat:9999", "flat:٣"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.integers(0, 5).map(lambda halves: [halves] * 60)
        | st.dictionaries(st.sampled_from(["1-12", "1-60", "7", "60-1", "-", "a-b", ""]), inner)
    ),
    max_leaves=8,
)


@given(st.dictionaries(st.sampled_from([s.key for s in GAME.settings]), plain, max_size=3))
def test_any_value_is_taken_or_refused(chosen: dict[str, Any]) -> None:
    try:
        rules = settle(GAME, 4, chosen)
    except UsageError as reason:
        assert len(str(reason)) < 1000
        return
    assert settle(GAME, 4, json.loads(json.dumps(rules))) == rules
    for setting in GAME.settings:
        if setting.kind in ("int", "bool"):
            assert type(rules[setting.key]) is {"int": int, "bool": bool}[setting.kind]


@given(st.text(), st.text())
def test_any_assignment_is_taken_or_refused(key: str, value: str) -> None:
    for name in (key, "preservers", "allocation", "bonus", "drowning"):
        try:
            rules = load_rules(GAME, 4, None, [f"{name}={value}"])
        except UsageError:
            continue
        assert rules.keys() == {setting.key for setting in GAME.settings}


@given(st.binary(max_size=200))
def test_any_file_is_taken_or_refused(tmp_path_factory: pytest.TempPathFactory, raw: bytes) -> None:
    file = tmp_path_factory.mktemp("rules") / "any.toml"
    file.write_bytes(raw)
    try:
        load_rules(GAME, 4, file)
    except UsageError as reason:
        assert "any.toml" in str(reason)


def test_descriptions_say_what_can_be_typed() -> None:
    rows = {row.key: row for row in describe(GAME, 4)}
    assert set(rows) == {setting.key for setting in GAME.settings}
    assert rows["hand_size"].allowed == "a whole number from 1 to 30"
    assert rows["end_at"].source == "assumption" and rows["end_at"].alternatives == "1, 2"
    assert rows["preservers"].default == "[12 x 0, 12 x 1, 12 x 2, 12 x 1, 12 x 0]"


@pytest.mark.parametrize(
    "value", [0, -3, True, 'a "b" \\ c', [1, 2], (1, "x"), {"a": 1, "b": [True]}, []]
)
def test_toml_text_is_toml(value: Any) -> None:
    parsed = tomllib.loads(f"x = {toml_text(value)}")["x"]
    assert parsed == (list(value) if isinstance(value, tuple) else value)
