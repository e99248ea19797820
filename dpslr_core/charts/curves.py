"""Curves of algorithms, each named at its right end, or in a legend."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy.special import ndtr

from ..experiments.crossings import LINEAR
from ..sources.axis import UNIT_Y, Axis
from ..support.types import Floats
from ..text.phrases import format_amount
from .styles import dash_lengths, style
from .vega import (
    GREEN,
    GREEN_TEXT,
    GREY,
    LEGEND,
    TITLE_ABOVE,
    Ends,
    Spec,
    axis,
    band,
    layer,
    looks,
    nominal,
    once,
    quantitative,
    rule,
    with_data,
    xy,
)

if TYPE_CHECKING:  # a first picture waits for no part of scipy that guidance needs
    from ..guidance.required_values import NoiseCurve

TOP, BOTTOM = 1e4, 1e-3  # largest and smallest error that is drawn, in standard errors
LINE, LETTER = 17, 7.2  # height of a name and width of a letter, in pixels
AROUND = 70  # height of the axes and margins, in pixels
LEGEND_LINE, LEGEND_COLUMNS = 20, 2  # height of a legend's line in pixels, and names in a line
_SYMBOL, _ROOM = 30, 300  # pixels before a name in a legend, and width of a legend on a phone
HOVERED = 80  # about the number of points of a curve that show their numbers when pointed at
GAUSSIAN = "sampling error"
ONE = "the sampling error"
CurveSets = Mapping[str, tuple[pd.DataFrame, Spec]]


@dataclass(frozen=True)
class Room:
    """Width and text size of the screen.

    Attributes
    ----------
    narrow : bool
        Whether the screen is narrow.
    text_size : float
        Size of text over the usual size.
    """

    narrow: bool = False
    text_size: float = 1.0


USUAL = Room()


def named_curves(
    lines: CurveSets,
    x: Spec,
    y: Spec,
    height: int,
    room: Room = USUAL,
    *,
    styles: Mapping[str, dict[str, str]] | None = None,
    behind: Sequence[Spec] = (),
    bands: pd.DataFrame | None = None,
    open_dots: pd.DataFrame | None = None,
    alone: bool = True,
) -> Spec:
    """Draw a curve for each algorithm in its colour and dash; NaN in y is a gap.

    Parameters
    ----------
    lines : mapping of str to (DataFrame, dict)
        By name of a data set: rows of curves (algorithm, x, y; x ascending), and properties of their mark.
    x, y : dict
        Axes, as `vega.axis` returns them, with ends.
    height : int
        Height in pixels; a legend adds its lines.
    room : Room
        Screen: a legend stands below if it is narrow or the names are too many.
    styles : mapping, optional
        Color and dash of curves that are no algorithms, by name.
    behind : sequence of dict
        Layers that are drawn first.
    bands : DataFrame, optional
        Rows of bands about curves: algorithm, x, low, high.
    open_dots : DataFrame, optional
        Rows of open circles: algorithm, x, y.
    alone : bool
        False for a panel beside others in a file: its legend is not counted in the height.
    """
    data = {name: _finite(frame) for name, (frame, _) in lines.items()}
    drawn = _first_curves(data.values())  # a name stands at the end of its first curve
    names = list(drawn)
    own = [(styles or {}).get(name) or style(name) for name in names]
    legend = not alone or room.narrow or len(names) * LINE * room.text_size > height - AROUND
    columns = legend_columns(names)
    right = 0 if legend else round(20 + LETTER * room.text_size * max(map(len, names), default=0))
    if right:
        edge = {"expr": f"width - {right}"}
        x = x | {"scale": x["scale"] | {"range": [0, edge]}}
        across = {"x": {"value": 0}, "x2": {"value": edge}}
        behind = [
            background
            | {
                "encoding": ({} if "x" in background["encoding"] else across)
                | background["encoding"]
            }
            for background in behind
        ]
    colors, dashes = (
        [name_style["color"] for name_style in own],
        [dash_lengths(name_style["dash"]) for name_style in own],
    )
    look = looks("algorithm", names, LEGEND if legend else None, color=colors, strokeDash=dashes)
    color = {"color": look["color"]}
    layers = [
        layer(name, {"type": "line", "clip": True, "strokeWidth": 2} | mark, xy(x, y) | look)
        for name, (_, mark) in lines.items()
    ]
    if bands is not None:
        area = xy(x, y, "x", "low") | {"y2": {"field": "high"}} | color
        layers.insert(0, layer("bands", {"type": "area", "opacity": 0.16, "clip": True}, area))
        data["bands"] = bands[["algorithm", "x", "low", "high"]]
    if open_dots is not None and len(open_dots):
        circle = {"type": "point", "size": 60, "strokeWidth": 2, "clip": True}
        layers.append(layer("medians", circle, xy(x, y) | color | {"tooltip": tooltip(x, y)}))
        data["medians"] = open_dots
    near = {"type": "point", "size": 300, "opacity": 0, "clip": True}
    layers.append(layer("hovered", near, xy(x, y) | {"tooltip": tooltip(x, y)}))
    data["hovered"] = _thinned(drawn)
    if right:
        data["names"] = _names(drawn, x, y, LINE * room.text_size / (height - AROUND))
        leader = {"type": "rule", "strokeDash": [1, 3], "strokeWidth": 1}
        to = {"x2": {"value": edge}, "y2": {"field": "name_at"}}
        layers.append(layer("names", leader, xy(x, y) | color | to))
        plain = json.dumps(
            [name for name, look in zip(names, own, strict=True) if look["color"] == GREY]
        )
        weight = {"expr": f"indexof({plain}, datum.algorithm) < 0 ? 'bold' : 'normal'"}
        size = 12 * room.text_size
        text = {"type": "text", "align": "left", "fontSize": size, "fontWeight": weight}
        names_at = {
            "x": {"value": {"expr": f"width - {right - 6}"}},
            "y": y | {"field": "name_at"},
            "text": nominal("algorithm"),  # in the theme's colour, readable on white and on dark
        }
        layers.append(layer("names", text, names_at))
    elif alone:
        height += LEGEND_LINE * -(-len(names) // columns)
    config = {"view": {"stroke": None}, "legend": {"columns": columns}}
    return with_data({"config": config, "layer": [*behind, *layers], "height": height}, **data)


def legend_columns(names: Sequence[str]) -> int:
    """Return the number of names in a line of a legend: two if both columns fit into a narrow picture, else one."""
    longest = [
        max(map(len, names[first::LEGEND_COLUMNS]), default=0) for first in range(LEGEND_COLUMNS)
    ]
    return LEGEND_COLUMNS if sum(_SYMBOL + LETTER * letters for letters in longest) <= _ROOM else 1


def tooltip(x: Spec, y: Spec) -> list[Spec]:
    """Return the channels of a hint: the algorithm of a mark, and its x and y under the titles of their axes.

    Parameters
    ----------
    x, y : dict
        Axes, as `vega.axis` returns them.
    """
    titles = {"x": x["axis"]["title"], "y": y["axis"]["title"]}
    numbers = [quantitative(field, title=title, format=",.4~g") for field, title in titles.items()]
    return [nominal("algorithm", title="algorithm"), *numbers]


def _finite(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the columns algorithm, x and y, with NaN in place of numbers that are not finite."""
    numbers = frame[["x", "y"]].to_numpy(float)
    x, y = np.where(np.isfinite(numbers), numbers, np.nan).T
    return pd.DataFrame({"algorithm": frame["algorithm"].to_numpy(object), "x": x, "y": y})


def _first_curves(frames: Iterable[pd.DataFrame]) -> dict[str, Floats]:
    """Return x and y of the first curve of each name, shape (2, points); in numpy, as pandas takes milliseconds."""
    curves: dict[str, Floats] = {}
    for frame in frames:
        owners, points = frame["algorithm"].to_numpy(), frame[["x", "y"]].to_numpy(float).T
        for name in dict.fromkeys(owners):
            curves.setdefault(name, points[:, owners == name])
    return curves


def _thinned(curves: Mapping[str, Floats]) -> pd.DataFrame:
    """Return rows of about HOVERED finite points of each curve: algorithm, x, y."""
    points = {name: curve[:, np.isfinite(curve).all(axis=0)] for name, curve in curves.items()}
    points = {name: curve[:, :: curve.shape[1] // HOVERED + 1] for name, curve in points.items()}
    algorithm = [name for name, curve in points.items() for _ in curve.T]
    x, y = np.hstack([np.empty((2, 0)), *points.values()])
    return pd.DataFrame({"algorithm": algorithm, "x": x, "y": y})


def _names(curves: Mapping[str, Floats], x: Spec, y: Spec, gap: float) -> pd.DataFrame:
    """Return the last visible point of each curve, and ``name_at``: the y at which its name overlaps no other name.

    Curves that end at one height are in the order of their mean heights.

    Parameters
    ----------
    curves : mapping of str to array, shape (2, points)
        x and y of each curve.
    x, y : dict
        Axes with ends.
    gap : float
        Smallest distance between names, as a share of the height.
    """
    low, high = y["scale"]["domain"]
    ratio, rows = "type" in y["scale"], []
    for name, (across, up) in curves.items():
        seen = np.isfinite(up)
        if not seen.any():
            continue
        heights = up[seen].clip(low, high)
        shares = (
            np.log(heights / low) / np.log(high / low) if ratio else (heights - low) / (high - low)
        )
        edge = min(across[seen][-1], x["scale"]["domain"][1])
        rows.append((name, edge, up[seen][-1], shares[-1], shares.mean()))
    last = pd.DataFrame(rows, columns=["algorithm", "x", "y", "share", "mean"])
    last = last.iloc[np.lexsort((last["mean"], np.round(last["share"] / gap)))]
    placed = apart(last["share"], gap, gap / 2, 1 - gap / 2)
    at = low * (high / low) ** placed if ratio else low + (high - low) * placed
    return last[["algorithm", "x", "y"]].assign(name_at=at).reset_index(drop=True)


def apart(heights: ArrayLike, gap: float, low: float, high: float) -> Floats:
    """Move heights apart, by least squares, so that neighbours differ by `gap` at least, and into [low, high].

    Labels of curves that end at one height are centred about it.

    Parameters
    ----------
    heights : array-like, shape (m,)
        Heights at which labels would stand, the lowest label first.
    gap : float
        Smallest distance between labels.
    low, high : float
        Ends of the picture; more labels than fit go beyond `high`.

    Returns
    -------
    array, shape (m,)
        Heights of the labels, ascending.
    """
    steps = gap * np.arange(np.size(heights))
    placed = _ascending(np.asarray(heights, dtype=float) - steps)
    return np.asarray(np.clip(placed, low, max(low, high - gap * (steps.size - 1))) + steps)


def _ascending(values: Floats) -> Floats:
    """Return the nearest ascending values by least squares.

    At i, the largest over j <= i of the least mean over j .. k, k >= i. As scipy.optimize.isotonic_regression, without
    its import, which the first chart of a server would wait for.
    """
    indices = np.arange(values.size)
    sums = np.append(0.0, values.cumsum())
    lengths = indices[None, :] + 1 - indices[:, None]
    means = np.where(
        lengths > 0, (sums[None, 1:] - sums[:-1, None]) / np.maximum(lengths, 1), np.inf
    )
    least = np.minimum.accumulate(means[:, ::-1], axis=1)[:, ::-1]  # over k >= i, for each j
    return np.where(lengths > 0, least, -np.inf).max(axis=0, initial=-np.inf)


def round_range(values: ArrayLike, inside: Ends | None = None) -> Ends:
    """Return ends at half decades about all positive values, so that axes of neighbouring settings are often the same.

    Parameters
    ----------
    values : array-like
        Numbers to be shown; those that are not positive and finite are ignored.
    inside : tuple of float, optional
        Range that is shown in any case.
    """
    numbers = np.asarray(values, dtype=float)
    halves = 2 * np.log10(np.append(numbers[np.isfinite(numbers) & (numbers > 0)], inside or ()))
    low, high = (np.floor(halves.min()), np.ceil(halves.max())) if halves.size else (0.0, 0.0)
    return float(10 ** (low / 2)), float(10 ** (max(high, low + 1) / 2))


def error_range(errors: ArrayLike) -> Ends:
    """Return the ends of an axis of errors, in standard errors; errors beyond BOTTOM and TOP leave the picture."""
    numbers = np.asarray(errors, dtype=float)
    return round_range(
        np.clip(numbers[np.isfinite(numbers) & (numbers > 0)], BOTTOM, TOP), (10**-0.4, 10**0.9)
    )


# Pictures.


def error_curves(
    frame: pd.DataFrame,
    span: Ends,
    label: str,
    error: str,
    room: Room = USUAL,
    best: str | None = None,
    here: float | None = None,
) -> Spec:
    """Draw the error of every algorithm along the parameter, with its band of 95% Monte-Carlo error and the line at 1.

    Both axes are logarithmic, but the axis of a parameter in LINEAR. Where an error is infinite the curve has a gap.

    Parameters
    ----------
    frame : DataFrame
        Rows of ``sweep``, its values in the units in which they are drawn.
    span : tuple of float
        Ends of the parameter's axis, in the same units.
    label, error : str
        Titles of the horizontal and of the vertical axis.
    room : Room
        Width and text size of the screen.
    best : str, optional
        Algorithm that alone has its colour and a band; all others are grey. By default all have both.
    here : float, optional
        The user's own value of the parameter, which is marked.
    """
    frame = frame.rename(columns={"mechanism": "algorithm", "value": "x"}).sort_values(
        "x", kind="stable"
    )
    y = axis(error, error_range(frame["error"]), log=True, gridOpacity=0.5, **TITLE_ABOVE)
    linear = bool(frame["parameter"].isin(LINEAR).any()) or span[0] <= 0
    low, high = span if linear else np.log10(span)
    margin = (high - low) / 40 or 0.05
    ends = np.array([low - margin, high + margin])
    first, last = ends if linear else 10**ends
    x = axis(label, (float(first), float(last)), log=not linear, grid=False)
    finite = np.isfinite(frame["low"]) & np.isfinite(frame["high"]) & (frame["high"] > frame["low"])
    bands = frame.assign(
        low=frame["low"].clip(lower=BOTTOM).where(finite), high=frame["high"].where(finite)
    )
    styles = {}
    if best is not None:
        bands = bands[bands["algorithm"] == best]
        others = frame["algorithm"].unique()
        styles = {name: {"color": GREY, "dash": "solid"} for name in others if name != best}
    words = {"type": "text", "align": "left", "dx": 4, "dy": 9}
    green = words | {"text": ONE, "color": {"expr": GREEN_TEXT}}
    behind = [
        rule("y", y, 1.0, color=GREEN, strokeDash=[1, 0]),
        once(green, {"x": {"value": 0}, "y": y | {"datum": 1.0}}),
    ]
    if here is not None and first <= here <= last:
        position = {"x": x | {"datum": here}, "y": {"value": 0}}
        behind += [
            rule("x", x, here, strokeWidth=1),
            once(words | {"text": f"you: {format_amount(here)}"}, position),
        ]
    drawn = frame.assign(y=frame["error"].where(frame["error"] > 0))
    lines = {"curves": (drawn, {"point": {"size": 20, "filled": True, "strokeDash": [1, 0]}})}
    return named_curves(lines, x, y, 310, room, styles=styles, behind=behind, bands=bands)


def output_cdf(
    curves: pd.DataFrame,
    center: float,
    standard_error: float,
    limits: Ends,
    y: Axis = UNIT_Y,
    room: Room = USUAL,
    alone: bool = True,
    height: int = 520,
) -> Spec:
    """Draw output CDFs at one point with the band of the sampling error about OLS and the Gaussian curve.

    Trials have a name of their own only where no exact curve stands beside them.

    Parameters
    ----------
    curves : DataFrame
        Rows of ``experiments.curves.cdf_curves``, in the unit square.
    center, standard_error : float
        OLS prediction and sampling error, in the unit square.
    limits : tuple of float
        Ends of the estimates, in the unit square.
    y : Axis
        Units of the picture.
    room : Room
        Width and text size of the screen.
    alone : bool
        As in `named_curves`.
    height : int
        Height in pixels.
    """
    low, high = map(float, y.from_unit(limits))
    across = axis(f"released prediction: {y.label}", (low, high), grid=False, tickCount=8)
    share = axis("share of releases at or below", (0.0, 1.0), format=".0%", tickCount=6)
    plain = curves["mechanism"].astype(object)  # as fast again as pandas' own strings
    exact, trials = (curves["kind"].to_numpy() == kind for kind in ("exact", "trials"))
    named = plain.where(plain.isin(plain[exact].unique()), plain + " (trials)")
    drawn = pd.DataFrame(
        {"algorithm": named, "x": y.from_unit(curves["estimate"]), "y": curves["cdf"]}
    )
    lines: dict[str, tuple[pd.DataFrame, Spec]] = {"curves": (drawn[exact], {})}
    if trials.any():
        lines["trials"] = drawn[trials], {"strokeWidth": 1, "interpolate": "step-after"}
    styles = {name: style(own) for name, own in dict(zip(named, plain, strict=True)).items()}
    styles[GAUSSIAN] = {"color": GREEN, "dash": "solid"}
    behind = []
    if standard_error > 0:
        grid = np.linspace(*limits, 200)
        sampling = {"x": y.from_unit(grid), "y": ndtr((grid - center) / standard_error)}
        wide = {"strokeWidth": 5, "opacity": 0.7}
        lines = {"sampling": (pd.DataFrame({"algorithm": GAUSSIAN, **sampling}), wide), **lines}
        first, last = map(float, y.from_unit([center - standard_error, center + standard_error]))
        behind = [band(across, (first, last), color=GREEN)]
    return named_curves(
        lines, across, share, height, room, styles=styles, behind=behind, alone=alone
    )


def noise_curves(curves: Sequence[NoiseCurve], r: float, now: float, room: Room = USUAL) -> Spec:
    """Draw the error about OLS against epsilon, both logarithmic, with a circle at each algorithm's required epsilon.

    Parameters
    ----------
    curves : sequence of NoiseCurve
        Error of each algorithm by epsilon.
    r : float
        Target in standard errors, a horizontal line.
    now : float
        Present epsilon, a vertical line.
    room : Room
        Width and text size of the screen.
    """
    columns = ["algorithm", "x", "y"]
    named = [(curve.required.mechanism, curve) for curve in curves]
    points = [
        (name, *xy)
        for name, curve in named
        for xy in zip(curve.epsilons, curve.ratios, strict=True)
    ]
    reached = [
        (name, curve.required.value, r) for name, curve in named if curve.required.value is not None
    ]
    x = axis("privacy budget ε", (0.01, 1000.0), log=True, grid=False)
    x["scale"]["clamp"] = True
    y = axis(
        "error about OLS, in standard errors",
        error_range([r / 5, r * 20]),
        log=True,
        gridOpacity=0.5,
    )
    behind = [rule("x", x, now, strokeWidth=1, strokeDash=[1, 0]), rule("y", y, r, color=GREEN)]
    lines: CurveSets = {"curves": (pd.DataFrame(points, columns=columns), {})}
    open_dots = pd.DataFrame(reached, columns=columns)
    return named_curves(lines, x, y, 320, room, behind=behind, open_dots=open_dots)
