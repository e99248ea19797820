"""Colours and dashes tell algorithms apart, those of tomorrow too, and never change."""

from __future__ import annotations

from dpslr_core.charts.styles import _STYLES, _of_family, faded, style
from dpslr_core.mechanisms import MECHANISMS, MechanismFamily

KEPT = {
    "OLS": ("#8a8a8a", "solid"),
    "TheilSen": ("#8a8a8a", "dot"),
    "NoisyStats": ("#1f83c4", "solid"),
    "NoisyStatsGaussian": ("#5bb5e8", "dash"),
    "NoisyIntercept": ("#9a6fd0", "dashdot"),
    "DPExpTheilSen": ("#d55e00", "solid"),
    "DPWideTheilSen": ("#e0a100", "dash"),
    "DPSSTheilSen": ("#cc6fa0", "dashdot"),
    "ChooseByNoisyVariance": ("#5b52c9", "longdashdot"),
    "DPGDPure": ("#1a9a76", "dot"),
    "DPGDApprox": ("#3dbd93", "dash"),
    "DPGDzCDP": ("#6aa51e", "solid"),
    "MaximumObservedSensitivity": ("#9c5b3f", "longdash"),
}


def test_the_algorithms_keep_their_colours_and_dashes():
    assert {cls.__name__: tuple(style(cls.__name__).values()) for cls in MECHANISMS} == KEPT


def test_matchings_keep_the_colour_and_are_dotted():
    assert style("DPExpTheilSen10Match") == {"color": "#d55e00", "dash": "2px,3px"}
    assert style("DPSSTheilSen3Match") == {"color": "#cc6fa0", "dash": "2px,3px"}


def test_a_family_may_grow():
    """The further members change nobody's style and have a colour of their own, also when dotted."""
    grown = [style for family in MechanismFamily for style in _of_family(_STYLES[family], len(_STYLES[family]) + 8)]
    assert set(KEPT.values()) < set(grown) and len(set(grown)) == len(grown)
    colours = [colour for colour, _ in grown]
    assert len(set(colours)) == len(colours) - 1  # OLS and TheilSen alone share one


def test_what_is_in_no_list_has_a_style_too():
    """Also where its name begins like that of an algorithm of the list."""
    names = ["NoisyStatsOfMine", "OLSRobust", "Mine", "Mine10Match", "DPExpTheilSen"]
    assert len({tuple(style(name).values()) for name in names}) == len(names)
    assert style("Mine") == style("Mine")


def test_a_faded_colour_is_the_same_colour():
    assert faded("DPExpTheilSen", 0.25) == "rgba(213, 94, 0, 0.25)"
