"""Verification needs the certificate alone, and refuses whatever does not follow from its plan and integers."""

import json
from fractions import Fraction

import numpy as np
import pytest

from dpslr_core.mechanisms import (
    CenteredStatsGaussian,
    DeepestLine,
    DeepestLineZCDP,
    NoisyStats,
)
from dpslr_core.release import release, verification, verify
from dpslr_core.release.log import FOLDER
from dpslr_core.release.plans import digest_of
from dpslr_core.release.verification import Unverified
from dpslr_core.sources.choices import UploadedFile
from tests.cases.plans import COLUMNS, STORED, planned, pure, sealed, table

pytest.importorskip("opendp")


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A release of some areas, with noise so small that every released integer moves a result.

    With more noise a residual variance can be at its floor, where the fifth sum changes nothing.
    """
    plan = planned(epsilon=1e4, areas={f"s{i:03}": 12 for i in range(5)})
    return release(plan, table(areas=5), tmp_path_factory.mktemp("made") / FOLDER)


def test_pooled_lines_are_computed_again(tmp_path):
    plan = planned(areas={f"s{i:03}": 5 for i in range(12)})
    pooled = release(plan, table(areas=12), tmp_path / FOLDER)
    assert verify(pooled.text).content["pooled"]["rows"]
    for row, name in ((0, "pooled"), (23, "high")):
        forged = pooled.content
        forged["pooled"]["rows"][row][name] *= 1.00001
        with pytest.raises(Unverified, match=f"pooled, rows {row + 1}, {name}"):
            verify(sealed(forged))


@pytest.mark.parametrize("change", [
    lambda held: held.update(more=1),
    lambda held: held["results"].pop(),
    lambda held: held["released integers"].reverse(),
    lambda held: held["released integers"][0].update(integers=[["1", 2, 3, 4, 5]]),
    lambda held: held["guarantee"]["draws"].append(held["guarantee"]["draws"][0]),
])  # fmt: skip
def test_a_certificate_with_a_part_too_few_or_too_many_is_refused(made, change):
    """Of one area, test_forgery changes, removes and adds every part."""
    held = made.content
    change(held)
    with pytest.raises(Unverified):
        verify(sealed(held))


@pytest.mark.parametrize(
    "text", ["{}", "[]", "1", "null", "[" * 100_000, '{"sha256": NaN}', '{"sha256": 1e999}']
)
def test_what_is_no_certificate_is_refused(text):
    with pytest.raises(Unverified):
        verify(text)


MECHANISMS = [CenteredStatsGaussian(), DeepestLine(grid=20), DeepestLineZCDP(grid=20), NoisyStats()]


@pytest.fixture
def uninstall(monkeypatch):
    """A function after whose call OpenDP is not installed."""

    def missing(name):
        raise verification.PackageNotFoundError(name)

    return lambda: monkeypatch.setattr(verification, "version", missing)


@pytest.mark.parametrize("mechanism", MECHANISMS, ids=[m.name for m in MECHANISMS])
def test_less_noise_is_refused_with_and_without_the_library(tmp_path, uninstall, mechanism):
    made = release(planned(mechanism, epsilon=1), table(), tmp_path / FOLDER)
    assert "of OpenDP for this plan" in verify(made.text).said[1]
    forged = made.content
    given = forged["guarantee"]["draws"][0][0]["measurement"]["__kwargs__"]
    scale = given["scale"]
    given["scale"] = scale * (1 - 1e-12)
    with pytest.raises(Unverified):
        verify(sealed(forged))
    uninstall()
    assert "OpenDP itself was not asked" in verify(made.text).said[1]
    for factor in (1 - 1e-12, 2 / 3):
        given["scale"] = scale * factor
        with pytest.raises(Unverified, match="not what its plan draws"):
            verify(sealed(forged))


def test_a_cost_that_is_stated_above_what_the_plan_allows_is_refused_without_the_library(
    made, uninstall
):
    """The page prints the stated cost of each draw, which may exceed what its scale costs, and never its promise."""
    uninstall()
    forged = made.content
    [call] = forged["guarantee"]["draws"][0]
    promise = Fraction(forged["plan"]["promise"]["amount"])
    call["opendp map"] = str(promise)
    verify(sealed(forged))
    call["opendp map"] = str(promise * Fraction(10**15 + 1, 10**15))
    with pytest.raises(Unverified, match="not what its plan draws"):
        verify(sealed(forged))


@pytest.mark.parametrize("value", [True, 1.5, 2**63, -(2**63) - 1])
def test_released_numbers_that_are_no_integers_of_64_bits_are_refused(made, value):
    held = made.content
    held["released integers"][0]["integers"][0][0] = value
    with pytest.raises(Unverified, match="whole numbers of 64 bits"):
        verify(sealed(held))


LARGE = {"budget": {"definition": "pure", "amount": "99999"}}
ENTRIES = """
    {"time": "tomorrow"}
    {"time": "2026-02-30T10:00:00+00:00"}
    {"time": "2026-05-04T10:00:00"}
    {"time": "2026-05-04T10:00:00+02:00"}
    {"time": "2026-05-04"}
    {"approved by": "the office"}
    {"spent before": "1", "spent after": "10001", "LARGE": 1}
    {"spent before": "0.0", "LARGE": 1}
    {"spent before": " 0", "LARGE": 1}
    {"spent before": "-1", "spent after": "9999"}
    {"spent before": "1", "sequence": 3, "LARGE": 1}
    {"spent before": "1", "spent after": "10001", "sequence": 3}
    {"sequence": true}
    {"sequence": 1}
    {"sequence": 2.0}
    {"before": "none"}
    {"promise": {"definition": "pure", "amount": "10000.0"}}
"""


@pytest.mark.parametrize("change", ENTRIES.strip().splitlines())
def test_a_certificate_with_an_impossible_log_entry_is_refused(made, change):
    forged, changed = made.content, json.loads(change)
    entry = forged["composition"]["entry"]
    large = LARGE if changed.pop("LARGE", None) else {}
    entry |= changed | large
    forged["composition"]["entry sha256"] = digest_of(entry)
    with pytest.raises(Unverified, match="is not about this release"):
        verify(sealed(forged))


def test_a_logarithm_is_the_same_on_every_processor(tmp_path, monkeypatch):
    """Certificates of a machine whose log10 has other last bits."""
    columns = COLUMNS.model_copy(update={"group_column": "", "y_transform": "log10"})
    columns = UploadedFile(**columns.model_dump())
    made = release(planned(epsilon=1e4, columns=columns), table(), tmp_path / FOLDER)
    original = np.log10
    for way in (-np.inf, np.inf):
        monkeypatch.setattr(
            np, "log10", lambda values, way=way: np.nextafter(original(values), way)
        )
        assert verify(made.text).content == made.content


def test_a_refusal_of_other_words_or_another_format_names_the_version_of_dpslr(made):
    other = made.content
    other["software"]["dpslr"] = "9.9"
    assert "Every sentence" in verify(sealed(other)).said[-1]
    other["known limits"].append("Another sentence.")
    with pytest.raises(Unverified, match=r"refused: known limits .* dpslr 9.9 wrote it"):
        verify(sealed(other))
    with pytest.raises(Unverified, match="another version of dpslr wrote it"):
        verify(STORED / "000002-certificate.json")


def test_rounding_of_another_machine_passes_and_larger_differences_are_refused(made):
    other = made.content
    other["results"][3]["intervals"][0]["low"] += 1e-10
    assert verify(sealed(other)).plan == verify(made.text).plan
    other["results"][3]["intervals"][0]["low"] += 1e-3
    with pytest.raises(Unverified, match="results 4, intervals 1, low"):
        verify(sealed(other))


def test_a_release_that_is_missing_from_the_log_is_refused(made, tmp_path):
    assert "holds this release" in verify(made.path, made.path.parent).said[-1]
    elsewhere = release(planned(), table(), tmp_path / FOLDER, pure("3"))
    with pytest.raises(Unverified, match="holds no such release"):
        verify(made.path, elsewhere.path.parent)
    forged = elsewhere.content
    forged["software"]["python"] = "2.7"
    verify(sealed(forged))
    with pytest.raises(Unverified, match="holds no such release"):
        verify(sealed(forged), elsewhere.path.parent)
