"""Colours and dashes tell algorithms apart, those of tomorrow too, and never change."""

from __future__ import annotations

import numpy as np

from dpslr_core.charts.styles import _STYLES, _of_family, style
from dpslr_core.mechanisms import MECHANISMS, MechanismFamily

KEPT = {
    cls.__name__: tuple(style(cls.__name__).values()) for cls in MECHANISMS
}  # goldens hold them


def test_a_family_may_grow():
    """The further members change nobody's style and have a colour of their own, also when dotted."""
    grown = [
        style
        for family in MechanismFamily
        for style in _of_family(_STYLES[family], len(_STYLES[family]) + 8)
    ]
    assert set(KEPT.values()) < set(grown) and len(set(grown)) == len(grown)
    colours = [colour for colour, _ in grown]
    assert (
        len(set(colours)) == len(colours) - 6
    )  # OLS and TheilSen share one, and five in zCDP with those without


def luminance(colour):
    """Relative luminance of "#rrggbb", as in WCAG 2."""
    channels = np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    linear = np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)
    return float(linear @ [0.2126, 0.7152, 0.0722])


def test_every_colour_is_seen_on_a_white_and_on_a_dark_page():
    for colour, _ in KEPT.values():
        for page in ("#ffffff", "#161513"):
            dark, light = sorted((luminance(colour), luminance(page)))
            assert (light + 0.05) / (dark + 0.05) >= 3, colour
