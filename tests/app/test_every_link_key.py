"""Keys of links: what cannot be used is told with what is allowed and what is shown, for people."""

from __future__ import annotations

import re

import pytest
from streamlit.testing.v1 import AppTest

from tests.cases.opened import app, read

FAST = {"n": "30", "algorithms": ["NoisyStats", "CenteredStats", "DPExpTheilSen"], "trials": "20"}
# Where each key is drawn: a page, what else its link says, and keys.
PLACES: list[tuple[str, dict, str]] = [
    ("data", {}, "epsilon n var_x var_e slope intercept x_mean x_shape error_shape data_seed seed trials"
     " records_per_person also_k accounting source unit_square zoom theil_sen"),
    ("data", {"source": "sample"}, "sample"),
    ("data", {"source": "state", "tracts": "5"}, "state elasticity group"),
    ("data", {"source": "state"}, "tracts"),
    ("data", {"source": "upload"}, "x_bounds y_bounds x_most x_numbers y_numbers x_transform y_transform"),
    ("compare", {}, "details look_at"),
    ("sweep", {}, "vary datasets sweep_trials values crossing_first crossing_second"),
    ("small_areas", {"source": "sample", "sample": "tracts"}, "area_details area_guesses question target"),
    ("guidance", {}, "guidance decide"),
    ("guidance", {"guidance": "Smallest ε or n"}, "r smallest"),
    ("guidance", {"source": "sample", "guesses_public_data": "public knowledge"},
     "guess_mean_x guess_shape_x guess_low guess_high guess_sd_x guess_sd_e"),
    ("release", {}, "release_of"),
    ("privacy", {}, "privacy_view privacy_of privacy_at prior record_x record_y record"),
    ("methods", {}, "card"),
    ("paper", {}, "figure claim"),
    ("lesson", {}, "step leaver person person_x person_y class_epsilon students scatter released ten_number"),
]  # fmt: skip
PYTHON = re.compile(r"\b(True|False|None|nan|inf)\b|'|<|[a-z]Error|dtype|object")


def sentences(test: AppTest) -> dict[str, str]:
    """The sentences about the link by their keys."""
    lines = "\n".join(read(warning.value) for warning in test.main.warning)
    pattern = r"^(?:- )?(The link says (?:nothing after )?([\w.-]+) =.*)$"
    return {key: sentence for sentence, key in re.findall(pattern, lines, re.M)}


@pytest.fixture(autouse=True)
def _all_are_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ui.link._LISTED", 1_000)


@pytest.mark.parametrize(
    ("page", "more", "keys"), PLACES, ids=lambda each: each if isinstance(each, str) else ""
)
def test_a_bad_value_is_told_with_what_is_allowed_and_what_is_shown(page, more, keys):
    bad = dict.fromkeys(keys.split(), "150 %!")
    answers = sentences(app(page, **FAST | more | bad))
    for key in bad:
        sentence = answers.pop(key)
        assert sentence.startswith(
            f"The link says {key} = 150 %!, which cannot be used. Allowed: "
        ), sentence
        allowed, _, shown = sentence.partition(" Allowed: ")[2].partition(" Shown: ")
        assert len(allowed) > 3 and len(shown) > 1, sentence
        assert not PYTHON.search(sentence), sentence
    assert not answers
