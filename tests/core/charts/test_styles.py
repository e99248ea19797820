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


# What a page looks like, and how a person without green cones sees it (Machado, Oliveira and Fernandes 2009, Table 1).
PAGES = ("#ffffff", "#161513")
DEUTERANOPIA = np.array(
    [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.01182, 0.04294, 0.968881]]
)
TO_XYZ = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])


def linear(colour):
    """Linear red, green and blue of "#rrggbb"."""
    channels = np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    return np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)


def lab(rgb):
    """CIE L*a*b* under daylight."""
    t = TO_XYZ @ np.clip(rgb, 0, 1) / np.array([0.9505, 1, 1.089])
    f = np.where(t > 0.008856, np.cbrt(t), 7.787 * t + 16 / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


def contrast(colour, page):
    """The contrast ratio of WCAG 2."""
    light, dark = sorted(
        (float(TO_XYZ[1] @ linear(either)) + 0.05 for either in (colour, page)), reverse=True
    )
    return light / dark


def test_every_colour_is_seen_on_a_white_and_on_a_dark_page():
    for colour, _ in KEPT.values():
        assert all(contrast(colour, page) >= 3 for page in PAGES), colour


def test_no_two_colours_look_alike_with_or_without_green_cones():
    colours = sorted({colour for colour, _ in KEPT.values()})
    for seen in (np.eye(3), DEUTERANOPIA):
        labs = [lab(seen @ linear(colour)) for colour in colours]
        nearest = min(np.linalg.norm(a - b) for i, a in enumerate(labs) for b in labs[:i])
        assert nearest > 15  # a difference of 2.3 is just noticed
