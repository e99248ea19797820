"""A forger who knows the project: whatever is changed, and every digest made anew, no sentence of `verify` is false."""

import copy
import json

import pytest

from dpslr_core.release import release, verify
from dpslr_core.release.certificate import certificate
from dpslr_core.release.log import FOLDER
from dpslr_core.release.plans import Plan, digest_of
from dpslr_core.release.verification import DIGEST, TRUST, Unverified
from tests.cases.plans import COLUMNS, planned, sealed, table

pytest.importorskip("opendp")


@pytest.fixture(scope="module")
def genuine(tmp_path_factory):
    """The content of a certificate."""
    columns = COLUMNS.model_copy(update={"group_column": "", "x_bounds": (-2, 8)})
    return release(
        planned(columns=columns), table(), tmp_path_factory.mktemp("genuine") / FOLDER
    ).content


def places(value, path=()):
    """The path of every part, of lists that of the first element."""
    yield path
    parts = (
        value.items()
        if isinstance(value, dict)
        else list(enumerate(value))[:1]
        if isinstance(value, list)
        else ()
    )
    for key, part in parts:
        yield from places(part, (*path, key))


def at(held, path):
    for key in path:
        held = held[key]
    return held


def others(value):
    """Other values: one of the same type as a rule, then some of other types."""
    if isinstance(value, bool):
        return [not value, int(value)]
    if isinstance(value, int):
        return [value + 1, float(value), True]
    if isinstance(value, float):
        return [value * 1.5 + 1, str(value)]
    if isinstance(value, str):
        return [f"{value} Signed by the national office.", 1, [value]]
    return [None, [], {}]


def forgeries(held):
    """What a forger may make of a certificate, one change each, before the digests are made anew."""
    for turn, path in enumerate(places(held)):
        if not path:
            continue
        *parents, key = path
        old = at(held, path)
        same, *foreign = others(old)
        for value in (same, foreign[turn % len(foreign)]):  # other types in turn
            if type(value) is not type(old) or value != old:
                yield (
                    f"{path} = {value!r}",
                    changed(held, parents, lambda part, k=key, v=value: part.__setitem__(k, v)),
                )
        yield f"{path} removed", changed(held, parents, lambda part, k=key: part.pop(k))
        if isinstance(old, dict):
            yield (
                f"{path} added to",
                changed(held, path, lambda part: part.update(approved="by the office")),
            )
        if isinstance(old, list):
            yield (
                f"{path} longer",
                changed(held, path, lambda part: part.append(part[-1] if part else 1)),
            )


def changed(held, path, change):
    forged = copy.deepcopy(held)
    change(at(forged, path))
    return forged


def resealed(held):
    """The text of a certificate with all its digests made anew, as far as they can be."""
    try:
        plan = digest_of(held["plan"])
        held["plan sha256"] = plan
        held["composition"]["entry"]["plan"] = plan
        held["composition"]["entry sha256"] = digest_of(held["composition"]["entry"])
    except (LookupError, TypeError, AttributeError):
        pass
    return sealed(held)


def check_true(text):
    """Whether all that `verify` says of an accepted text holds, by the plan and the integers alone."""
    held, found = json.loads(text), verify(text)
    plan = Plan.from_json(json.dumps({"sha256": held["plan sha256"], "plan": held["plan"]}))
    integers = {row["area"]: row["integers"] for row in held["released integers"]}
    assert all(
        type(value) is int for parts in integers.values() for part in parts for value in part
    )
    entry, software = held["composition"]["entry"], held["software"]
    again = certificate(plan, integers, held["guarantee"]["draws"], software, entry)
    for each in (held, again):  # their last digits may be those of another machine
        each["results"] = [row | {"intervals": []} for row in each["results"]]
    assert sealed(held) == sealed(again)
    words = " ".join(found.said)
    assert DIGEST in words and TRUST in words and f"would keep {plan.promise}" in words
    assert "not looked up in a log" in words and "No byte" not in words and "office" not in words
    assert (
        set(software) == {"dpslr", "opendp", "numpy", "scipy", "python"} and "approved" not in text
    )


@pytest.mark.parametrize("version", ["", "9.9.9"])
def test_every_change_is_refused_or_every_sentence_stays_true(genuine, version):
    held = copy.deepcopy(genuine)
    held["software"]["dpslr"] = version or held["software"]["dpslr"]
    check_true(resealed(copy.deepcopy(held)))
    accepted, tried = [], 0
    for change, forged in forgeries(held):
        tried += 1
        try:
            text = resealed(forged)
            verify(text)
        except Unverified:
            continue
        accepted.append(change)
        try:
            check_true(text)
        except AssertionError as error:
            raise AssertionError(f"{change}: {error}") from error
    assert tried > 200 and len(accepted) < 30


def test_another_order_of_keys_other_white_space_and_names_twice_are_refused(genuine):
    text = resealed(copy.deepcopy(genuine))
    for other in (
        sealed(dict(reversed(genuine.items()))),
        json.dumps(genuine, ensure_ascii=False),
        text.replace('"kind": "release"', '"kind": "rehearsal",\n "kind": "release"', 1),
        text.replace('"unit": "person"', '"unit": "crowd",\n  "unit": "person"', 1),
    ):
        assert other != text
        with pytest.raises(Unverified):
            verify(other)
