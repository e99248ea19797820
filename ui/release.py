"""The Release page: the settings of a plan, the noise to expect by the law of what is drawn, and a rehearsal."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from importlib.util import find_spec
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import streamlit as st

from dpslr_core.mechanisms import CenteredStats, Mechanism
from dpslr_core.release import text
from dpslr_core.release.explored import (
    error_about,
    expected_errors,
    laws_on,
    rehearsal_data,
    rehearsal_records,
)
from dpslr_core.release.once import rehearse
from dpslr_core.release.plans import LOOKED, ExpectedErrors, Plan, plan
from dpslr_core.release.programs import PROGRAMS
from dpslr_core.report.certificate import as_page
from dpslr_core.sources.choices import Synthetic, UploadedFile
from dpslr_core.sources.grouping import SMALLEST
from dpslr_core.sources.numbers import parse_pair
from dpslr_core.text.data import View
from dpslr_core.text.phrases import format_amount, points_on

from .cache import kept
from .inputs import Allowed, number_box
from .link import KEEP, LINK, bound, show
from .plain import plain
from .planned import USUAL, Answer, answered
from .takeaway import make_and_save

MOST_AREAS = 50  # that are rehearsed on a page
LEVEL, DOTS = 95, 20
SMALLEST_AREA = 10  # that gets a line, as usual
_FOLLOWED = "release_follows"  # session-state key: the answer of another page by which the form was filled in
COMMANDS = """dpslr release plan.json DATA.csv --out certificate.json --out certificate.html
dpslr spent DATA.csv
dpslr verify certificate.json"""


def offered(view: View) -> tuple[list[Mechanism], list[str]]:
    """The chosen algorithms that can be released, and the names of other private ones."""
    chosen = view.scenario.admitted
    able = [m for m in chosen if type(m) in PROGRAMS]
    return able, [
        m.name for m in chosen if m not in able and m.guarantee(view.scenario.epsilon).private
    ]


def model_of(view: View) -> tuple[Synthetic, str]:
    """The model of the simulated records, and what they are like: the sidebar's, or those of the last answer."""
    source, guesses = view.scenario.source, answered().guesses
    if isinstance(source, Synthetic):
        return source, "like the sidebar's"
    return (guesses, "like your guesses") if guesses else (Synthetic(), "of the usual settings")


def decision(able: list[Mechanism], refused: list[str]) -> Mechanism:
    """Draw the choice of the algorithm, with reasons, and return it; as usual that of the last answer."""
    said, named = answered(), {mechanism.name: mechanism for mechanism in able}
    usual = next((name for name in (said.algorithm, USUAL) if name in named), able[0].name)
    before: Answer = st.session_state.get(_FOLLOWED, Answer())
    if said != before:
        st.session_state[_FOLLOWED] = said
        show("release_of", usual)
        if (st.session_state.get("release_choice") or "") in (
            "",
            before.reason,
        ):  # nobody has typed another
            st.session_state["release_choice"] = said.reason
        show("release_choice_looked", said.guesses is None)
    options = [usual, *(name for name in named if name != usual)]
    name = str(st.selectbox("Algorithm that is released", options, **bound("release_of", named)))
    if name == usual:
        st.caption(plain(text.why_sentence(name, said.algorithm, said.page)))
    if refused:
        st.caption(plain(" ".join(text.not_released(refused))))
    return named[name]


def data_form(view: View) -> dict[str, Any]:
    """Columns, bounds, sizes and both rules, as plan takes them; ValueError, a sentence, where one cannot be."""
    grouped, public, columns = view.grouped, dict(answered().sizes), _columns(view)
    sizes, smallest, label = (
        public or grouped.public_sizes,
        None,
        "A table: one release for each of {:,} areas",
    )
    areas = len(sizes) > 1 and st.toggle(label.format(len(sizes)), key="release_areas", **LINK)
    if areas:
        if not columns.group_column:
            named = st.text_input(
                "Column of areas in your file", "area", key="release_group", **KEEP
            )
            columns = columns.model_copy(update={"group_column": named})
        most = max(sizes.values())
        least = number_box(
            "Smallest area that gets a line",
            "release_smallest",
            min(SMALLEST_AREA, most),
            Allowed(SMALLEST, most, whole=True),
            linked=False,
            help=text.SMALLEST_HELP,
        )
        smallest = int(least or SMALLEST)
    assert columns.x_bounds is not None and columns.y_bounds is not None
    st.caption(plain(text.RULE))
    of_axes = {
        "x": (columns.x_column, columns.x_bounds, columns.x_most),
        "y": (columns.y_column, columns.y_bounds, None),
    }
    as_x, as_y = (
        number_box(
            name,
            f"release_as_{axis}",
            sum(most or ends) / 2,
            Allowed(*ends, optional=True),
            linked=False,
        )
        for axis, (name, ends, most) in of_axes.items()
    )
    unusable_as = None if as_x is None or as_y is None else (as_x, as_y)
    opened = isinstance(view.scenario.source, UploadedFile)
    alone = "" if areas or len(grouped.public_sizes) == 1 else view.group
    n = sum(sizes.values()) if areas else view.public_n
    source = "the rows of your file, unusable ones too" if opened else "as in the data of this page"
    source = f"as {answered().page} took it from public numbers" if areas and public else source
    st.caption(plain(text.n_sentence(n, source, areas, alone)))
    rows = grouped.left_out - grouped.left_out_with_group
    if unusable_as:
        rows = (
            grouped.left_out + sum(grouped.sizes.values()) - sum(grouped.public_sizes.values())
            if areas
            else 0
        )
    if opened and (refusal := text.refusal_sentence(rows, bool(unusable_as))):
        st.warning(plain(refusal))
    records = view.scenario.records_per_person
    if opened and (refusal := text.persons_refusal(grouped.rows_per_person, records)):
        st.warning(plain(refusal))
    size = {"areas": sizes, "smallest": smallest} if areas else {"n": n}
    return {"columns": columns, "unusable_as": unusable_as, **size}


def sources(view: View, mechanism: Mechanism) -> dict[str, str]:
    """The two questions of a plan, where bounds and choice come from, as plan takes the answers."""
    opened = isinstance(view.scenario.source, UploadedFile)
    chosen = f"Where do {mechanism.name} and ε = {format_amount(view.scenario.epsilon)} come from?"
    limits = f"Where do the limits of {view.x.name} and {view.y.name} come from?"
    return {
        "bounds_from": _source(limits, "release_bounds", "the scale of the test", opened),
        "choice_from": _source(chosen, "release_choice", "last year's public data", opened),
    }


def _columns(view: View) -> UploadedFile:
    """The columns and bounds of an uploaded file, or those that are typed for a file that is elsewhere."""
    source = view.scenario.source
    if isinstance(source, UploadedFile):
        return source
    said = {}
    for axis, shown in (("x", view.x), ("y", view.y)):
        column, bounds = st.columns([1, 1])
        with column:
            said[axis] = st.text_input(
                f"Column of {axis} in your file", shown.name, key=f"release_{axis}", **KEEP
            )
        with bounds:
            both = st.text_input(
                f"Public bounds of {axis}",
                f"{shown.lower:g}, {shown.upper:g}",
                key=f"release_{axis}_bounds",
                **KEEP,
            )
        said[f"{axis}_bounds"] = parse_pair(both or "", f"public bounds of {axis}")
    return UploadedFile(
        x_column=said["x"], y_column=said["y"], x_bounds=said["x_bounds"], y_bounds=said["y_bounds"]
    )


def _source(question: str, key: str, example: str, opened: bool) -> str:
    """Where a choice comes from, in words, or the mark that the data were looked at for it.

    The words stay in their box, which is disabled, where the mark stands in the plan in their place. Of an opened file
    the mark is set at first, that of the choice unless the last answer stands on public guesses.
    """
    box = st.container()
    help_ = text.OPEN_HERE if opened else text.MARK
    mark = f"{key}_looked" if opened else f"{key}_marked"
    st.session_state.setdefault(mark, opened)
    looked = st.checkbox("I looked at the data for this", key=mark, help=help_, **KEEP)
    with box:
        example = f"for example: {example}"
        said = st.text_input(plain(question), key=key, placeholder=example, disabled=looked, **KEEP)
    return LOOKED if looked else (said or "").strip()


def planned(
    view: View, mechanism: Mechanism, asked: Mapping[str, Any], answers: Mapping[str, str]
) -> Plan:
    """The plan of the form, with a note where it does not say yet where bounds and choice come from."""
    opened = isinstance(view.scenario.source, UploadedFile)
    said = {name: words or text.UNSAID for name, words in answers.items()}
    data = view.grouped if opened else None
    return plan(view.scenario, algorithm=mechanism, data=data, **asked, **said)  # type: ignore[arg-type]


class Foreseen(NamedTuple):
    """What to expect on simulated records: how near to OLS LEVEL of releases are at each point, None where it is not
    known; of the first point equally likely releases, and OLS with its standard error."""

    within: list[float | None]
    releases: pd.DataFrame | None
    place: pd.Series


@kept(12, spinner="Computing the law of the release …")
def foreseen(made: str, model: Synthetic, n: int) -> Foreseen:
    """What to expect of a plan, given as its text."""
    held, data = Plan.from_json(made), rehearsal_data(model, n)
    laws = laws_on(held, data)
    within = [error_about(law, center, LEVEL) for law, center in laws]
    law, center = laws[0]
    place = pd.Series({"center": center, "standard_error": float(data.standard_error(held.at)[0])})
    releases = (
        None if law is None else pd.DataFrame({"estimate": law.ppf((np.arange(DOTS) + 0.5) / DOTS)})
    )
    return Foreseen([each if np.isfinite(each) else None for each in within], releases, place)


def pooling(
    view: View, able: list[Mechanism], made: Plan, asked: Mapping[str, Any], model: Synthetic
) -> str:
    """What pools the areas of a plan, and what that costs in an area of middle size, by the laws of both releases."""
    pools = next((m for m in able if m.name.startswith("CenteredStats")), CenteredStats())
    usual = next((m for m in able if m.name == USUAL), pools)
    other = usual if type(made.mechanism) is type(pools) else made.mechanism
    n, blank = middle_size(made), {"bounds_from": LOOKED, "choice_from": LOOKED}
    plans = (planned(view, each, asked, blank).to_json() for each in (pools, other))
    within = [foreseen(each, model, n).within[0] for each in plans]
    times = within[0] / within[1] if within[0] and within[1] else None
    return text.pools_sentence(pools.name, other.name, times)


def middle_size(made: Plan) -> int:
    """Number of records of the area of a plan that has as many larger as smaller ones."""
    return sorted(made.sizes.values())[len(made.sizes) // 2]


@kept(12, spinner="Computing the error to expect in areas of each size …")
def errors_to_expect(made: str, model: Synthetic) -> ExpectedErrors:
    """Of a plan, given as its text."""
    return expected_errors(Plan.from_json(made), model)


def points_table(made: Plan, within: list[float | None]) -> pd.DataFrame:
    """Points of a plan, and how near to OLS releases are at each, in the units of y."""
    near = [np.nan if each is None else each * made.y.axis.scale for each in within]
    return pd.DataFrame(
        {"point": points_on(made.x.axis, made.at), "95% of releases are within, ±": near}
    )


def areas_table(made: Plan, expected: ExpectedErrors) -> pd.DataFrame:
    """Areas of a plan that have a line, with n and the error to expect at each point, in the units of y."""
    table = pd.DataFrame(made.sizes.items(), columns=["area", "n"])
    for number, point in enumerate(points_on(made.x.axis, made.at)):
        errors = [expected.at(n, number) or np.nan for n in made.sizes.values()]
        table[f"expected error at {point}, ±"] = np.array(errors) * made.y.axis.scale
    return table


def rehearsal_button(made: Plan, model: Synthetic) -> None:
    """A button that draws a rehearsal on simulated records and saves its certificate, marked as such."""
    if find_spec("opendp") is None:
        st.caption(plain(text.WITHOUT_OPENDP))
    elif len(made.sizes) > MOST_AREAS:
        st.caption(plain(text.REHEARSED_AREAS.format(MOST_AREAS)))
    else:
        name, of = "REHEARSAL-certificate.html", (made.to_json(), model)
        page = partial(_rehearsal_page, made, model)
        make_and_save("a rehearsal", page, name, "text/html", of)


def _rehearsal_page(made: Plan, model: Synthetic) -> bytes:
    return as_page(rehearse(made, rehearsal_records(made, model))).encode()
