"""Every key of every page's link: what cannot be used is told with what is allowed and what is shown, for people."""

from __future__ import annotations

import re

import pytest
from streamlit.testing.v1 import AppTest

from dpslr_core.experiments.ranges import RANGES
from dpslr_core.paper.figures import FIGURES
from tests.cases.opened import app, read
from ui.ends import end_page
from ui.link import link_names

FAST = {"n": "30", "algorithms": ["NoisyStats", "CenteredStats", "DPExpTheilSen"], "trials": "20"}
TRACTS = FAST | {"source": "sample", "sample": "tracts"}
UPLOADED = (
    "x_bounds",
    "y_bounds",
    "x_most",
    "x_numbers",
    "y_numbers",
    "x_transform",
    "y_transform",
)
# Any text is a value of these: columns of a file that is not here, and lists of numbers in boxes
# that say themselves what is wrong.
ANY_TEXT = {"x_column", "y_column", "group_column", "person_column", "x_new"}
ANY_TEXT |= {f"{name}_list" for name in RANGES}
GUESSES = ("guess_mean_x", "guess_shape_x", "guess_low", "guess_high", "guess_sd_x", "guess_sd_e")
# Where each key is drawn: a page, what else its link says, and keys.
PLACES: list[tuple[str, dict, tuple[str, ...]]] = [
    ("data", {}, (
        "epsilon", "n", "var_x", "var_e", "slope", "intercept", "x_mean", "x_shape", "error_shape", "data_seed", "seed",
        "trials", "records_per_person", "also_k", "accounting", "source", "unit_square", "larger_text", "zoom",
        "theil_sen",
    )),
    ("data", {"source": "sample"}, ("sample",)),
    ("data", {"source": "uci"}, ("uci",)),
    ("data", {"source": "state", "tracts": "5"}, ("state", "elasticity", "group")),
    ("data", {"source": "state"}, ("tracts",)),
    ("data", {"source": "upload"}, UPLOADED),
    ("compare", {}, ("details", "look_at", "width")),
    ("compare", {"details": "Private lines", "trials": "100"}, ("draw", "residuals")),
    ("compare", {"details": "All curves"}, ("show_trials",)),
    ("compare", {"details": "Release by release"}, ("release_a", "release_b")),
    ("compare", {"details": "How sure"}, ("interval_release", "hundred_of")),
    ("sweep", {}, ("vary", "datasets", "sweep_trials", "values", "crossing_first", "crossing_second")),
    ("small_areas", TRACTS, ("area_details", "flat_lines", "area_guesses", "question", "target")),
    ("guidance", {}, ("guidance", "decide")),
    ("guidance", {"guidance": "Smallest ε or n"}, ("r", "smallest")),
    ("guidance", {"source": "sample"}, ("guesses_public_data",)),
    ("guidance", {"source": "sample", "guesses_public_data": "public knowledge"}, GUESSES),
    ("findings", {}, ("any", "findings")),
    ("release", {}, ("release_of",)),
    ("release", TRACTS, ("release_areas",)),
    ("privacy", {}, ("privacy_view", "privacy_of", "privacy_at", "prior", "record_x", "record_y", "record")),
    ("methods", {}, ("card",)),
    ("paper", {}, ("figure", "claim")),
    ("lesson", {}, (
        "step", "leaver", "person", "person_x", "person_y", "class_epsilon", "students", "scatter", "released",
        "ten_number",
    )),
]  # fmt: skip
# What cannot be a test here is named, with why.
LEFT = {
    "all_areas": "drawn where there are so many areas that they take long",
    "guesses": "only an uploaded file asks for it: test_upload",
}
PYTHON = re.compile(r"\b(True|False|None|nan|inf)\b|'|<|[a-z]Error|dtype|object")


def sentences(test: AppTest) -> dict[str, str]:
    """The sentences about the link by their keys."""
    lines = "\n".join(read(warning.value) for warning in test.main.warning)
    pattern = r"^(?:- )?(The link says (?:nothing after )?([\w.-]+) =.*)$"
    return {key: sentence for sentence, key in re.findall(pattern, lines, re.M)}


def without_limits(page: str, keys: list[str], **query: str | list[str]) -> list[str]:
    """The keys of which a page does not say what is allowed, where the link says a word."""
    answers = sentences(app(page, **query, **dict.fromkeys(keys, "many")))
    assert not [sentence for sentence in answers.values() if PYTHON.search(sentence)]
    return [key for key in keys if " Allowed: " not in answers.get(key, "")]


@pytest.fixture(autouse=True)
def _all_are_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ui.link._LISTED", 1_000)


@pytest.mark.parametrize(
    ("page", "more", "keys"), PLACES, ids=lambda each: each if isinstance(each, str) else ""
)
def test_a_bad_value_is_told_with_what_is_allowed_and_what_is_shown(page, more, keys):
    answers = sentences(app(page, **FAST | more | dict.fromkeys(keys, "150 %!")))
    for key in keys:
        sentence = answers.pop(key)
        assert sentence.startswith(
            f"The link says {key} = 150 %!, which cannot be used. Allowed: "
        ), sentence
        allowed, _, shown = sentence.partition(" Allowed: ")[2].partition(" Shown: ")
        assert len(allowed) > 3 and len(shown) > 1, sentence
        assert not PYTHON.search(sentence), sentence
    assert not answers


def test_every_hyperparameter_says_what_is_allowed():
    keys = sorted(name for name in link_names() if re.match(r"[A-Z]\w+\.", name))
    algorithms = sorted({key.partition(".")[0] for key in keys})
    assert keys and without_limits("data", keys, n="30", algorithms=algorithms) == []


def test_every_parameter_of_a_figure_says_what_is_allowed(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("ui.paper.measured", lambda *_: end_page())
    for figure in FIGURES:
        keys = [f"{figure.name}.{parameter.name}" for parameter in figure.parameters]
        assert not keys or without_limits("paper", keys, figure=figure.name) == []


def test_every_end_of_a_swept_range_says_what_is_allowed():
    every = ["NoisyStats", "DPSSTheilSen", "DPWideTheilSen", "DPGDApprox"]
    for name, limits in RANGES.items():
        query = {
            "n": "30",
            "datasets": "20",
            "vary": limits.name,
            "values": "2",
            "algorithms": every,
        }
        assert without_limits("sweep", [f"{name}_from", f"{name}_to"], **query) == []


def test_every_key_has_its_place():
    placed = {key for _, _, keys in PLACES for key in keys}
    rest = link_names() - placed - ANY_TEXT - LEFT.keys()
    figures = {
        f"{figure.name}.{parameter.name}" for figure in FIGURES for parameter in figure.parameters
    }
    ends = {f"{name}_{end}" for name in RANGES for end in ("from", "to")}
    rest -= figures | ends | {"algorithms", "full_figure"}
    assert not [key for key in rest if not re.match(r"[A-Z]\w+\.", key)]
