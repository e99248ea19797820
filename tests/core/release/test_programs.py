"""Programs of a real release: sensitivities by brute force, promises, answers, laws and broken variants."""

import json
import random
from dataclasses import replace
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest

import dpslr_core.mechanisms as dp
from dpslr_core.intervals import Target, confidence_interval
from dpslr_core.privacy import ZCDP, PureDP
from dpslr_core.release import chosen, library
from dpslr_core.release.programs import PROGRAMS, REFUSED, program_of, to_grid
from dpslr_core.release.sums import joint_sensitivity
from tests.audit.releases import low_digits, release_row, share_lost
from tests.cases.releases import (
    CASES,
    CLASSES,
    EPSILON,
    MECHANISMS,
    dataset,
    follow_no_other_scale,
    kolmogorov,
    program,
    records,
    replaced,
    smaller,
)

pytest.importorskip("opendp")
SUMS = [
    mechanism
    for mechanism in MECHANISMS
    if mechanism.family in (dp.NoisyIntercept.family, dp.NoisyStats.family)
]
CHOSEN = [case for case in CASES if CASES[case] not in SUMS]
SMALL = {"n": 3, "grid": 2}
SLOPES = [(-1, 1), (1, 0), (3, 5), (3, -5), (1, 10**9), (1, -(10**9)), (10**9, 1)]


def norm(step, guarantee, change):
    if step.kind == "select":
        return np.abs(change).max()
    return np.abs(change).sum() if isinstance(guarantee, PureDP) else np.sqrt((change**2).sum())


def moves(made, number, released=()):
    """The largest change of what goes into one draw, over all neighbours of three records of whole numbers."""
    largest = 0
    for neighbours in replaced(made.grid, made.n):
        values = [
            np.array([int(v) for v in made.private(*each)(released)], dtype=float)
            for each in neighbours
        ]
        changes = (
            norm(made.steps[number], made.guarantee, a - b) for a, b in combinations(values, 2)
        )
        largest = max(largest, *changes)
    return largest


@pytest.mark.parametrize("mechanism", SUMS, ids=repr)
def test_one_record_moves_sums_by_their_sensitivity_and_no_more(mechanism):
    made = program(mechanism, **SMALL)
    for number, step in enumerate(made.steps):
        befores = [[[v] for v in pair] for pair in SLOPES] if number == 2 else [[[0]] * number]
        largest = max(moves(made, number, released) for released in befores)
        assert largest <= step.sensitivity
        assert largest >= 0.9999 * step.sensitivity or number == 1 or "Centered" in mechanism.name


# Of the choices: the share of the sensitivity that some neighbours on this grid attain.
@pytest.mark.parametrize("case", CHOSEN)
def test_one_record_moves_every_score_by_its_sensitivity_and_no_more(case, monkeypatch):
    smaller(monkeypatch)
    made = program(case, n=4 if "TheilSen" in case else 3, grid=2)
    largest = [moves(made, number, [[0]] * number) for number in range(len(made.steps))]
    assert all(move <= step.sensitivity for move, step in zip(largest, made.steps, strict=True))
    assert max(largest) == made.steps[0].sensitivity


@pytest.mark.parametrize("power", [1, 2])
def test_the_joint_sensitivity_is_the_largest_change_of_all_pairs_of_records(power):
    for weights in [(3, 2, 7, 5, 1), (10, 1, 1, 1, 1), (1, 1, 9, 30, 9)]:
        side = np.arange(-3, 4)
        u, w = (part.ravel() for part in np.meshgrid(side, side))
        sums = np.array(weights)[:, None] * np.array([u, w, u * u, u * w, w * w])
        change = (
            (np.abs(sums[:, :, None] - sums[:, None, :]).astype(float) ** power).sum(axis=0).max()
        )
        assert joint_sensitivity(weights, 6, power) == np.ceil(change ** (1 / power))


# ---------------------------------------------------------------- promises


@pytest.mark.parametrize("case", CASES)
def test_the_library_s_maps_add_up_to_the_promise(case, monkeypatch):
    smaller(monkeypatch)
    deserialize = library.opendp().deserialize
    points = (0.1, 0.5) if "Joint" in case else (0.1, 0.5, 0.9)
    for epsilon in (0.1, 1 / 3, 16.0):
        made = program(case, 2000, epsilon=epsilon, points=points)
        promise = Fraction(library.amount(made.guarantee))
        total = sum(Fraction(call["opendp map"]) for call in made.calls)
        assert promise * (1 - Fraction(1, 10**12)) <= total <= promise, epsilon
        assert sum(made.shares) == 1
        first = made.calls[0]
        written, distance = json.dumps(first["measurement"]), first["sensitivity"]
        distance = float(distance) if "make_gaussian" in written else distance
        assert Fraction(deserialize(written).map(distance)) == Fraction(first["opendp map"])


def test_no_part_of_a_guarantee_is_above_its_share():
    for tenths in range(1, 40):
        made = program(dp.NoisyStats(split=(0.5, 0.3, 0.2)), 10, epsilon=tenths / 10)
        for part, share in zip(made.parts, made.shares, strict=True):
            assert Fraction(part.epsilon) <= share * Fraction(made.guarantee.epsilon), tenths


class Unread:
    """Records that tell that they were read."""

    def __len__(self):
        raise AssertionError("the records were read")


def test_a_map_above_the_promise_is_refused_before_the_data_are_read(monkeypatch):
    sound = library.noise

    def dearer(*args):
        made = sound(*args)
        return replace(made, opendp_map=made.opendp_map * Fraction(1001, 1000))

    monkeypatch.setattr(library, "noise", dearer)
    with pytest.raises(ValueError, match="guarantee must cover"):
        program(dp.CenteredStats(), 10).draw(Unread(), Unread())


USUAL = {"mechanism": dp.CenteredStats(), "guarantee": PureDP(1.0), "points": (0.5,), "n": 10}
WRONG = [
    *[({"mechanism": getattr(dp, name)()}, "cannot be released") for name in REFUSED],
    ({"guarantee": ZCDP(1.0)}, "guarantee must be PureDP"),
    ({"mechanism": dp.CenteredStatsGaussian()}, "guarantee must be ZCDP"),
    ({"guarantee": 1.0}, "guarantee"),
    ({"guarantee": PureDP(float("inf"))}, "guarantee"),
    ({"points": ()}, "points"),
    ({"n": 2}, "n must"),
    ({"grid": 1001}, "grid must be even"),
    ({"grid": 20_000}, "grid must"),
    ({"n": 10**8}, "coarser grid"),
    ({"mechanism": dp.CenteredStats(ridge=True)}, "ridge"),
    ({"mechanism": dp.JointTheilSen(), "points": (0.1, 0.2, 0.3)}, "points must be one or two"),
    ({"mechanism": dp.DPExpTheilSen(), "n": 50_000}, "matchings"),
    ({"mechanism": dp.DeepestLine(lower=-1 / 3)}, "fewer decimals"),
]


@pytest.mark.parametrize(("changed", "words"), WRONG)
def test_what_cannot_be_released_is_refused_with_the_reason(changed, words):
    with pytest.raises(ValueError, match=words):
        program_of(**USUAL | changed)


def test_every_algorithm_either_has_a_program_or_a_reason():
    assert {cls.__name__ for cls in dp.MECHANISMS} == {cls.__name__ for cls in PROGRAMS} | set(
        REFUSED
    )


def test_values_are_moved_into_their_bounds_and_none_is_refused():
    values = [0.0, 1.0, 0.5, -1e300, 1e300, float("nan"), float("inf"), -float("inf"), 0.25]
    assert to_grid(values, 1000) == [0, 1000, 500, 0, 1000, 500, 1000, 0, 250]


# ---------------------------------------------------------------- answers


def without_noise(made, x, y):
    """What would be released without noise, or with the best score chosen."""
    integers, released = made.private(x, y), []
    for step in made.steps:
        values = [int(v) for v in integers(released)]
        released.append(values if step.kind == "noisy" else [int(np.argmin(values))])
    return released


@pytest.mark.parametrize("mechanism", SUMS[1:], ids=repr)
@pytest.mark.parametrize("falling", [False, True])
def test_without_noise_the_answer_is_ols(mechanism, falling):
    x, y = records(50)
    if falling:
        y = 1000 - y
    data, made = dataset(x, y), program(mechanism, 50)
    answer = made.answer(without_noise(made, x, y))
    assert [float(p) for p in answer.predictions] == pytest.approx(
        data.predict(made.points).tolist(), abs=1e-8
    )
    assert float(answer.slope) == pytest.approx(data.slope, abs=1e-8)
    assert [interval.target for interval in answer.intervals] == [Target.TRUE_LINE, Target.OLS] * 2
    for interval in answer.intervals:
        assert (
            interval.low is None
            or interval.low < data.predict([float(interval.at)])[0] < interval.high
        )


def test_intervals_are_those_of_the_statistics_that_a_mechanism_releases():
    """The same five sums by another road: floats, and confidence_interval."""
    x, y = records(80)
    made = program(dp.CenteredStats(), 80)
    answer, data = made.answer(without_noise(made, x, y)), dataset(x, y)
    quiet = type("Quiet", (dp.CenteredStats,), {"_noise": lambda self, rng, size: np.zeros(size)})()
    statistics = quiet.release_statistics(data, EPSILON, size=1, rng=np.random.default_rng(0))
    expected = confidence_interval(statistics, made.points)
    found = [
        [float(i.low), float(i.high)] for i in answer.intervals if i.target is Target.TRUE_LINE
    ]
    assert np.allclose(
        found, np.column_stack([expected.low[0], expected.high[0]]), rtol=0.02
    )  # the noise is 1.1% smaller: the exact sensitivity is below 1


@pytest.mark.parametrize("fallback", [False, True])
def test_a_noisy_variance_that_is_not_positive_makes_no_line_or_a_flat_one(fallback):
    made = program(dp.NoisyStats(fallback=fallback), 10)
    answer = made.answer([[-5], [7], [made.n * made.grid * 2**20 // 2]])
    assert answer.predictions == ((Fraction(1, 2),) * 2 if fallback else (None, None))
    assert answer.remark and (answer.slope == 0 if fallback else answer.slope is None)
    flat = program(dp.CenteredStats(), 10).answer([[0, 0, -5, 7, 9]])
    assert flat.slope == 0 and flat.predictions == (Fraction(1, 2),) * 2 and flat.remark


# ---------------------------------------------------------------- laws

DRAWS, FEW = 2000, 12


@pytest.mark.parametrize(
    "name", [name for name in CLASSES if CLASSES[name] not in SUMS and "Wide" not in name]
)
def test_real_choices_follow_their_law_and_no_other_scale(name, monkeypatch):
    smaller(monkeypatch)
    epsilon = (4.0 if "ZCDP" in name else 8.0) / (2 if "Line" in name else 1)
    made = program(CLASSES[name], FEW, epsilon=epsilon)
    scores, draw = made.scores(*records(FEW))[0], made._drawn_by[0].draw
    order = np.argsort(scores, kind="stable")
    places = np.argsort(order)  # of each candidate, by its score
    drawn = places[[draw(scores.tolist())[0] for _ in range(DRAWS)]]
    follow_no_other_scale(
        lambda factor: kolmogorov(drawn, made.chances(scores / factor, 0)[order].cumsum())
    )


@pytest.mark.parametrize(
    "name",
    [
        "DPExpTheilSenZCDP",
        "DPWideTheilSenZCDP",
        "DeepestLineZCDP",
        "CenteredStats",
        "NoisyStatsGaussian",
    ],
)
def test_the_law_of_a_release_is_near_that_of_the_algorithm_in_floats(name):
    """Another road to nearly the same law: what the pages show for the algorithm itself."""
    x, y = records(60)
    mechanism = getattr(dp, name)()
    made = program(mechanism, 60)
    for law, other in zip(
        made.law(dataset(x, y)), mechanism.law(dataset(x, y), EPSILON, made.points), strict=True
    ):
        t = np.unique(
            np.round(other.ppf(np.linspace(0.02, 0.98, 25) * (1 - other.failure)), 2)
        )  # ends of all cells
        assert np.abs(law.cdf(t) - other.cdf(t)).max() < 0.03


def test_median_scores_are_the_differences_of_counts_above_and_below():
    x, y = records(30)
    y[x > 500] = 400
    x[:6] = 300  # pairs without a slope
    made = program(dp.DPExpTheilSen(), 30)
    for scores, at in zip(made.scores(x, y), made.points, strict=True):
        i, j = np.triu_indices(30, 1)
        run = x[j] - x[i]
        tied = int((run == 0).sum())
        keep = run != 0
        z = (y[i] + (y[j] - y[i]) * (1000 * at - x[i]) / np.where(keep, run, 1))[keep] / 1000
        candidates = np.array([float(value) for value in made.candidates])
        above = (z[:, None] > candidates).sum(axis=0) + tied // 2
        below = (z[:, None] < candidates).sum(axis=0) + (tied + 1) // 2
        assert (
            scores == np.abs(above - below)
        ).mean() > 0.999  # estimates within 6e-8 of a candidate may count beyond


# ---------------------------------------------------------------- the audit of what is really drawn


def worst_share(made, pairs=80):
    """The largest share of the promise that is lost between neighbours of records at corners and middles."""
    rng, middles, shares = np.random.default_rng(5), (0, made.grid // 2, made.grid), []
    for _ in range(pairs):
        here = rng.choice(middles, (2, made.n))
        there = here.copy()
        there[:, -1] = rng.choice(middles, 2)
        shares.append(share_lost(made, here.tolist(), there.tolist()))
    return max(shares)


@pytest.mark.parametrize("case", CASES)
def test_a_real_release_loses_no_more_than_it_promises(case, monkeypatch):
    smaller(monkeypatch)
    assert 0.2 < worst_share(program(case, 4)) <= 1 + 1e-9


# ---------------------------------------------------------------- last digits


def released_values(made, x, y, draws=400):
    return [
        value for _ in range(draws) for call in made.draw(x.tolist(), y.tolist()) for value in call
    ]


@pytest.mark.parametrize("mechanism", SUMS, ids=repr)
def test_the_last_digits_of_released_integers_do_not_depend_on_the_data(mechanism):
    """Whole numbers of every remainder are released for every data set, as often as others."""
    made = program(mechanism, FEW)
    for x, y in (records(FEW), (np.zeros(FEW, int), np.zeros(FEW, int))):
        values = released_values(made, x, y)
        assert {type(value) for value in values} == {int}
        for modulus in (2, 3, 16):
            assert low_digits(values, modulus).p > 1e-7


def test_noise_that_leaves_the_last_digits_is_caught(monkeypatch):
    """Noise in steps of 1000, wide enough by its variance: every release tells the sum modulo 1000."""
    sound = library.noise

    def in_steps(*args):
        made = sound(*args)
        return replace(
            made,
            draw=lambda values: [
                v + 1000 * d for v, d in zip(values, made.draw([0] * len(values)), strict=False)
            ],
        )

    monkeypatch.setattr(library, "noise", in_steps)
    x, y = records(FEW)
    assert low_digits(released_values(program(dp.NoisyIntercept(), FEW), x, y), 16).p < 1e-9


def test_a_float_leak_is_caught(monkeypatch):
    """Floating-point noise on an exact sum: what is released is no whole number."""
    sound, rng = library.noise, np.random.default_rng(0)

    def leaking(*args):
        return replace(sound(*args), draw=lambda values: [v + rng.laplace() for v in values])

    monkeypatch.setattr(library, "noise", leaking)
    x, y = records(FEW)
    with pytest.raises(TypeError, match="whole number"):
        program(dp.NoisyIntercept(), FEW).draw(x.tolist(), y.tolist())


def test_records_outside_the_grid_count_as_its_ends():
    made = program(dp.DeepestLine(grid=10), 3)
    inside, outside = (
        made.kept([0, 5, 1000], [0, 1000, 3]),
        made.kept([-9, 5, 10**30], [-(10**30), 2000, 3]),
    )
    assert all((a == b).all() for a, b in zip(inside, outside, strict=True))
    with pytest.raises(ValueError, match="n = 3 records"):
        made.draw([1, 2], [1, 2])


BROKEN = [
    dp.CenteredStats(),
    dp.NoisyStatsGaussian(),
    dp.DPExpTheilSen(),
    dp.DeepestLineZCDP(grid=10),
]


@pytest.mark.parametrize("mechanism", BROKEN, ids=repr)
def test_the_audit_catches_draws_with_half_the_noise(mechanism, monkeypatch):
    assert release_row(mechanism).holds
    for name in ("noise", "choice"):
        made = getattr(library, name)
        halved = lambda count, sensitivity, part, made=made: made(count, sensitivity // 2, part)  # noqa: E731
        monkeypatch.setattr(library, name, halved)
    assert not release_row(mechanism).holds


def test_matchings_are_those_of_the_system_and_not_of_the_records(monkeypatch):
    """Drawn anew each time from the same records; and, of one state of the generator, the same for any records."""
    made = program(dp.DPExpTheilSen(k=3), 30)

    def drawn(x):
        return [(*first, *second) for (first, second), _ in made.ends(x, x)]

    labels = np.arange(30.0)
    assert (
        len({str(drawn(labels)[0]) for _ in range(60)}) == 60
    )  # also which record has which label: 29 rounds are few
    monkeypatch.setattr(chosen.secrets, "SystemRandom", lambda: random.Random(3))
    same, moved = drawn(labels), drawn(np.concatenate([[90.0], labels[1:]]))
    assert str(same) == str(moved).replace("90.0", "0.0") and len(same[0]) == 90
