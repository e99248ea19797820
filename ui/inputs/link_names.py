"""The names of all settings that can stand in a link."""

from __future__ import annotations

from dataclasses import fields

from dpslr_core.experiments.sweep.ranges import RANGES
from dpslr_core.lesson.settings import Lesson
from dpslr_core.mechanisms import algorithms
from dpslr_core.paper.figures import FIGURES

from ..controls import SLIDERS, USUAL

SIDEBAR = (
    "epsilon", "accounting", "source", "group", "records_per_person", "x_new", "unit_square", "algorithms", "also_k",
    "trials", "seed", "larger_text",
)  # fmt: skip
# Of one page alone, by page.
PAGES = {
    "data": ("moving", "record", "record_x", "record_y", "moved_algorithm", "zoom"),
    "compare": (
        "details", "look_at", "show_trials", "interval_release", "width", "residuals", "dots_of", "draw", "hundred_of",
        "release_a", "release_b",
    ),
    "sweep": ("vary", "values", "datasets", "sweep_trials", "shows", "crossing_first", "crossing_second"),
    "small_areas": (
        "area_details", "area_intervals_of", "area_name", "se_range", "find_epsilons", "flat_lines", "passes_with",
    ),
    "guidance": (
        "guidance", "guesses", "guesses_public_data", "guess_low", "guess_high", "guess_sd_x", "guess_sd_e", "weaker",
        "solve_for", "power_slope", "r",
    ),
    "findings": ("verdict", "any"),
    "privacy": (
        "privacy_view", "privacy_of", "privacy_at", "prior", "staircase_epsilon"
    ),
    "paper": ("figure", "full_figure"),
    "lesson": tuple(f.name for f in fields(Lesson)),
}  # fmt: skip


def link_names() -> frozenset[str]:
    """Every name, those of fields of sources, algorithms, figures and swept parameters among them."""
    sources = (name for kind in USUAL.values() for name in kind)
    settings = (f"{algorithm.__name__}.{f.name}" for algorithm in algorithms() for f in fields(algorithm))
    figures = (f"{figure.name}.{parameter.name}" for figure in FIGURES for parameter in figure.parameters)
    swept = (f"{name}_{word}" for name in RANGES for word in ("from", "to", "list"))
    pages = (name for names in PAGES.values() for name in names)
    return frozenset([*SIDEBAR, *SLIDERS, *sources, *settings, *figures, *swept, *pages])
