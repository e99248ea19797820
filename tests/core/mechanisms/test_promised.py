"""What a release consists of, under every rule: it loses no more than is promised."""

import itertools
from dataclasses import replace

import numpy as np
import pytest

from dpslr_core.mechanisms import MECHANISMS
from dpslr_core.privacy import Accounting, Budget, NoiseKind
from dpslr_core.privacy.accounting import spent
from tests.reference.privacy import composed, drawn, overspent

RULES = ("paper", "implied", "attack", "pure", "zcdp", "approx:1e-6")
RECORDS, EPSILONS, POINTS = (1, 2, 3), (0.5, 1.0, 2.0, 4.0, 8.0, 16.0), (1, 2, 4)
KINDS = {"pure": NoiseKind.PURE, "laplace": NoiseKind.LAPLACE, "range": NoiseKind.BOUNDED_RANGE}
KINDS["gaussian"] = NoiseKind.GAUSSIAN
CLOSE = 1 + 1e-9  # of a loss to its limit; a delta is as sensitive as e^epsilon
PRIVATE = [cls() for cls in MECHANISMS if cls().guarantee(1.0).private]
each_private = pytest.mark.parametrize("mechanism", PRIVATE, ids=lambda mechanism: mechanism.name)


def promised(mechanism, epsilon, rule):
    """What is promised to a person, by the definition of the rule; None where the algorithm is left out."""
    name = type(mechanism).__name__
    concentrated = name.endswith(("ZCDP", "zCDP", "Gaussian"))
    if rule == "pure" and (concentrated or name == "DPGDApprox"):
        return None
    if rule == "attack":
        return "gaussian", composed([("pure", epsilon)], 1)[2]
    if rule == "zcdp":
        return "zcdp", epsilon**2 / 2
    if rule == "approx:1e-6":
        return "approx", epsilon, 1e-6
    if concentrated:
        return "zcdp", epsilon * np.tanh(epsilon / 2) if rule == "implied" else epsilon**2 / 2
    return ("approx", epsilon, 2.0**-30) if name == "DPGDApprox" else ("pure", epsilon)


def budget(rule, records, epsilon, points):
    return Budget(epsilon, np.arange(points), replace(Accounting.parse(rule), records=records))


@each_private
def test_kinds_and_sizes_of_draws_equal_the_definitions(mechanism):
    for epsilon, points in itertools.product(EPSILONS, POINTS):
        expected, made = drawn(mechanism, epsilon, points), mechanism.draws(epsilon, points)
        assert [draw.kind for draw in made] == [KINDS[kind] for kind, _ in expected]
        assert [draw.size for draw in made] == pytest.approx(
            [size for _, size in expected], rel=1e-9
        )


@each_private
def test_what_is_released_loses_no_more_than_is_promised(mechanism):
    """Every rule, number of records of a person, epsilon and number of points."""
    wrong, tried, spent_in_full = [], 0, 0
    for rule, records, epsilon, points in itertools.product(RULES, RECORDS, EPSILONS, POINTS):
        promise = promised(mechanism, epsilon, rule)
        each = spent(mechanism, budget(rule, records, epsilon, points))
        assert (each is None) == (promise is None)
        if each is None:
            continue
        factor = overspent(composed(drawn(mechanism, each, points), records), promise)
        allowed = 1 + 1e-6 if promise[0] == "approx" else CLOSE
        tried, spent_in_full = tried + 1, spent_in_full + (factor > 0.999)
        if not factor <= allowed:
            wrong.append((rule, records, epsilon, points, factor))
    assert not wrong and tried >= 270 and spent_in_full > 0, wrong[:5]
