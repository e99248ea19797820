"""Two integer programs of the library OpenDP: noise on sums, and the choice of one index.

Only this module imports OpenDP, and only when a program is built: everything else works without it.
"""

import importlib
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from dpslr_core.privacy import ZCDP, PureDP

# Integers up to here are exact as floats, which the library takes as sensitivities.
LARGEST = 2**53


def opendp() -> Any:
    """Load the library OpenDP 0.16 with its feature flag `contrib`; ImportError says how to get it."""
    try:
        library = importlib.import_module("opendp.prelude")
    except ImportError as error:
        raise ImportError("a release needs OpenDP 0.16: pip install 'dpslr[release]'") from error
    library.enable_features("contrib")
    return library


@dataclass(frozen=True)
class Measurement:
    """Private draw of the library, with its promise checked before any record is read.

    Attributes
    ----------
    opendp_map : Fraction
        Largest cost of a draw, epsilon or rho, by the library's own privacy map.
    serialized : str
        Measurement as the library writes it, for `opendp.prelude.deserialize`.
    draw : callable
        Returns the released integers of the private integers, whose number is fixed.
    """

    opendp_map: Fraction
    serialized: str
    draw: Callable[[Sequence[int]], list[int]]


def serialization(kind: str, pure: bool, count: int, scale: float, version: str) -> dict[str, Any]:
    """Return OpenDP 0.16's JSON of a measurement with this scale, known also where OpenDP is not installed."""

    def part(module: str, function: str, **arguments: Any) -> dict[str, Any]:
        return {
            "__function__": function,
            "__module__": module,
            "__kwargs__": arguments,
            "__version__": version,
        }

    atoms = part("domains", "atom_domain", bounds=None, nan=None, T="i64")
    domain = part("domains", "vector_domain", atom_domain=atoms, size=count)
    measure = "MaxDivergence" if pure else "ZeroConcentratedDivergence"
    if kind == "select":
        metric = part("metrics", "linf_distance", monotonic=False, T="i64")
        output = part("measures", "max_divergence" if pure else "zero_concentrated_divergence")
        given = {
            "input_domain": domain,
            "input_metric": metric,
            "output_measure": output,
            "scale": scale,
        }
        return part("measurements", "make_noisy_max", **given, negate=True)
    metric = (
        part("metrics", "l1_distance", T="i64") if pure else part("metrics", "l2_distance", T="f64")
    )
    function = "make_laplace" if pure else "make_gaussian"
    given = {"input_domain": domain, "input_metric": metric, "scale": scale}
    return part("measurements", function, **given, k=None, MO=measure)


def noise(count: int, sensitivity: int, guarantee: PureDP | ZCDP) -> Measurement:
    """Build discrete Laplace (pure) or discrete Gaussian (zCDP) noise for integers, released all together.

    Parameters
    ----------
    count : int
        Number of integers, each at most 2^53 in size.
    sensitivity : int
        Public bound on the change of all integers together by one record, in l1 (pure) or l2 (zCDP).
    guarantee : PureDP or ZCDP
        Promise that the library's own privacy map has to keep.

    Raises
    ------
    ValueError
        If an argument is outside its range.
    """
    _check(count, sensitivity, guarantee)
    dp = opendp()
    domain = dp.vector_domain(dp.atom_domain(T="i64"), size=count)
    distance: float
    if isinstance(guarantee, PureDP):
        start = Fraction(sensitivity) / Fraction(guarantee.epsilon)
        metric, make, distance = dp.l1_distance(T="i64"), dp.m.make_laplace, sensitivity
    else:
        start = Fraction(sensitivity / math.sqrt(2 * guarantee.rho))
        metric, make, distance = dp.l2_distance(T=float), dp.m.make_gaussian, float(sensitivity)
    kept = _kept(lambda scale: make(domain, metric, scale=scale), start, distance, guarantee)
    return _measurement(kept, distance, lambda values: [int(value) for value in kept(list(values))])


def choice(count: int, sensitivity: int, guarantee: PureDP | ZCDP) -> Measurement:
    """Build the private choice of a low score's index: permute-and-flip (pure) or the exponential mechanism (zCDP).

    Parameters
    ----------
    count : int
        Number of scores, integers of at most 2^53 in size, one for each public candidate; lower is better.
    sensitivity : int
        Public bound on the change of any single score by one record.
    guarantee : PureDP or ZCDP
        Promise that the library's own privacy map has to keep.

    Raises
    ------
    ValueError
        If an argument is outside its range.
    """
    _check(count, sensitivity, guarantee)
    dp = opendp()
    domain, metric = (
        dp.vector_domain(dp.atom_domain(T="i64"), size=count),
        dp.linf_distance(T="i64"),
    )
    if isinstance(guarantee, PureDP):
        start, measure = (
            Fraction(2 * sensitivity) / Fraction(guarantee.epsilon),
            dp.max_divergence(),
        )
    else:
        start = Fraction(sensitivity / math.sqrt(2 * guarantee.rho))
        measure = dp.zero_concentrated_divergence()
    kept = _kept(
        lambda scale: dp.m.make_noisy_max(domain, metric, measure, scale, negate=True),
        start,
        sensitivity,
        guarantee,
    )
    return _measurement(kept, sensitivity, lambda values: [int(kept(list(values)))])


def _measurement(
    kept: Any, distance: float, draw: Callable[[Sequence[int]], list[int]]
) -> Measurement:
    """Return a checked measurement with its cost and its serialised form."""
    return Measurement(Fraction(kept.map(distance)), opendp().serialize(kept), draw)


def amount(guarantee: PureDP | ZCDP) -> float:
    """Return epsilon of a pure guarantee, rho of a zCDP guarantee."""
    return guarantee.epsilon if isinstance(guarantee, PureDP) else guarantee.rho


def _kept(
    build: Callable[[float], Any], start: Fraction, distance: float, guarantee: PureDP | ZCDP
) -> Any:
    """Build a measurement whose privacy map, as an exact fraction, is at most the promise.

    The scale is the smallest tried from `start` upwards.
    """
    # The map rounds upward, so the exact scale can miss the promise by a last bit: a few more bits of noise mend it.
    scale = float(start)
    for doubling in range(40):
        measurement = build(scale)
        if Fraction(measurement.map(distance)) <= Fraction(amount(guarantee)):
            return measurement
        scale += math.ulp(scale) * 2**doubling
    raise ValueError(
        f"guarantee must be one that the library's privacy map can keep, got {guarantee}"
    )


def _check(count: int, sensitivity: int, guarantee: PureDP | ZCDP) -> None:
    """Raise ValueError where an argument of `noise` or `choice` is outside its range."""
    if not isinstance(guarantee, PureDP | ZCDP):
        raise ValueError(f"guarantee must be PureDP or ZCDP, got {guarantee!r}")
    if not (math.isfinite(amount(guarantee)) and amount(guarantee) > 0):
        raise ValueError(f"guarantee must be finite and above 0, got {guarantee!r}")
    if type(sensitivity) is not int or not 1 <= sensitivity <= LARGEST:
        raise ValueError(f"sensitivity must be an integer from 1 to 2^53, got {sensitivity!r}")
    if count < 1:
        raise ValueError("values must hold at least one integer, got none")
