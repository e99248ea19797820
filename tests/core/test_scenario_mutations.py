"""Scenarios that somebody changed by hand, or a machine cut off: read as they are, or refused in one sentence."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from dpslr_core.cli import BUG, refusal
from dpslr_core.cli.inputs import read_scenario
from dpslr_core.scenario import Scenario
from tests.cases.scenario_files import SYNTHETIC, TRACTS

VALUES: tuple[Any, ...] = (
    None,
    True,
    -1,
    1e308,
    float("nan"),
    float("inf"),
    10**400,
    "",
    "text",
    "é\u202e",
    [],
    {},
    {"kind": "synthetic"},
    {"algorithm": "OLS"},
    [None],
    ["OLS"] * 50,
    "x" * 10_000,
)
GONE, TWICE, RENAMED = object(), object(), object()
WHOLE = [
    json.loads(scenario.model_dump_json())
    for scenario in (SYNTHETIC, TRACTS, Scenario(source="upload"))
]


def places(value: Any, path: tuple = ()) -> Iterator[tuple]:
    """The way to every value inside of one."""
    inside = (
        value.items()
        if isinstance(value, dict)
        else enumerate(value)
        if isinstance(value, list)
        else ()
    )
    for key, item in inside:
        yield (*path, key)
        yield from places(item, (*path, key))


def read(text: str | bytes, path: Path) -> str:
    """The sentence by which a file is refused; empty where it is read, and can be written and read again."""
    path.write_bytes(text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass"))
    try:
        scenario = read_scenario(path)
    except Exception as error:
        refused = refusal(error)
        if refused.exit_code == BUG:
            raise
        return refused.message
    assert Scenario.model_validate_json(scenario.model_dump_json()) == scenario
    assert Scenario.from_query(scenario.to_query()).source.kind == scenario.source.kind
    return ""


def changed(whole: dict) -> Iterator[dict]:
    """Copies in which one value is another, missing, twice, or of another name."""
    for *way, last in places(whole):
        for value in (*VALUES, GONE, TWICE, RENAMED):
            content = copy.deepcopy(whole)
            place = content
            for key in way:
                place = place[key]
            if value is TWICE:
                place[last] = [place[last]] * 2
            elif value is RENAMED and isinstance(place, dict):
                place["another name"] = place.pop(last)
            elif value in (GONE, RENAMED):
                del place[last]
            else:
                place[last] = copy.deepcopy(value)
            yield content


@pytest.mark.parametrize("whole", WHOLE, ids=lambda whole: whole["source"]["kind"])
def test_a_changed_scenario_is_read_or_refused_in_a_sentence(whole: dict, tmp_path: Path):
    sentences = []
    for content in changed(whole):
        sentence = read(json.dumps(content), tmp_path / "scenario.json")
        assert "Traceback" not in sentence and "object at 0x" not in sentence, content
        assert len(sentence) < 2_000, content
        sentences.append(sentence)
    assert 100 < sum(map(bool, sentences)) < len(sentences)


TEXTS: dict[str, str | bytes] = {
    "empty": "",
    "cut off": json.dumps(WHOLE[0])[:-40],
    "binary": bytes(range(256)),
    "UTF-16": json.dumps(WHOLE[0]).encode("utf-16"),
    "nested too deep": "[" * 100_000,
    "nested too deep in a field": '{"source":' * 100_000,
    "a list": "[]",
    "the same field twice": '{"epsilon": 1, "epsilon": -2}',
    "NaN": '{"epsilon": NaN}',
    "Python": "{'epsilon': 1}",
    "huge": '{"x": "' + "a" * 10**6 + '"}',
}


@pytest.mark.parametrize("kind", TEXTS)
def test_what_is_no_scenario_is_refused_by_its_name(kind: str, tmp_path: Path):
    sentence = read(TEXTS[kind], tmp_path / "scenario.json")
    assert sentence and len(sentence) < 2_000 and "Error" not in sentence
