"""The Release page: the settings of a plan, the expected error by the law of a release, and a rehearsal."""

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
from .planned import USUAL, Answer, has_seen_answer_on_file, last_answer
from .takeaway import make_and_save

MOST_AREAS = 50  # areas of a plan up to which a page rehearses it
DOTS = 20  # releases in the picture
SMALLEST_AREA = 10  # records, at first: smaller areas get no line
_FOLLOWED = (
    "release_follows"  # session-state key: the answer of another page that filled in the form
)
COMMANDS = """dpslr release plan.json DATA.csv --out certificate.json --out certificate.html
dpslr spent DATA.csv
dpslr verify certificate.json"""


def offered(view: View) -> tuple[list[Mechanism], list[str]]:
    """Return the algorithms that can be released.

    Returns
    -------
    able : list of Mechanism
        Chosen algorithms that can be released.
    refused : list of str
        Names of the other private ones.
    """
    chosen = view.scenario.admitted
    able = [m for m in chosen if type(m) in PROGRAMS]
    return able, [
        m.name for m in chosen if m not in able and m.guarantee(view.scenario.epsilon).private
    ]


def model_of(view: View) -> tuple[Synthetic, str]:
    """Return the model of the simulated records.

    Returns
    -------
    model : Synthetic
        The sidebar's model, or the guesses of the last answer, or the usual model.
    like : str
        Words on what the records are like.
    """
    source, guesses = view.scenario.source, last_answer().guesses
    if isinstance(source, Synthetic):
        return source, "like the sidebar's"
    return (guesses, "like your guesses") if guesses else (Synthetic(), "of the usual settings")


def decision(able: list[Mechanism], refused: list[str]) -> Mechanism:
    """Draw the choice of the algorithm, with reasons, and return it; at first the algorithm of the last answer."""
    last, named = last_answer(), {mechanism.name: mechanism for mechanism in able}
    usual = next((name for name in (last.algorithm, USUAL) if name in named), able[0].name)
    before: Answer = st.session_state.get(_FOLLOWED, Answer())
    if last != before:
        st.session_state[_FOLLOWED] = last
        show("release_of", usual)
        # The words of the last answer are replaced, typed words are not.
        if (st.session_state.get("release_choice") or "") in ("", before.reason):
            st.session_state["release_choice"] = last.reason
        show("release_choice_looked", last.guesses is None or has_seen_answer_on_file())
    options = [usual, *(name for name in named if name != usual)]
    name = str(st.selectbox("Algorithm that is released", options, **bound("release_of", named)))
    if name == usual:
        st.caption(plain(text.why_sentence(name, last.algorithm, last.page)))
    if refused:
        st.caption(plain(" ".join(text.not_released(refused))))
    return named[name]


def data_form(view: View) -> dict[str, Any]:
    """Draw the form of columns, bounds, sizes and rules.

    Returns
    -------
    dict
        Arguments of `plan`.

    Raises
    ------
    ValueError
        If a bound cannot be used; the message is a sentence.
    """
    grouped, public, columns = view.grouped, dict(last_answer().sizes), _columns(view)
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
    source = f"as {last_answer().page} took it from public numbers" if areas and public else source
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
    """Draw the two questions on where bounds and choice come from; return the answers as arguments of `plan`."""
    opened = isinstance(view.scenario.source, UploadedFile)
    chosen = f"Where do {mechanism.name} and ε = {format_amount(view.scenario.epsilon)} come from?"
    limits = f"Where do the limits of {view.x.name} and {view.y.name} come from?"
    return {
        "bounds_from": _source(limits, "release_bounds", "the scale of the test", opened),
        "choice_from": _source(chosen, "release_choice", "last year's public data", opened),
    }


def _columns(view: View) -> UploadedFile:
    """Return columns and bounds of an uploaded file; draw boxes for them if the file is elsewhere."""
    source = view.scenario.source
    if isinstance(source, UploadedFile):
        return source
    typed = {}
    for axis, shown in (("x", view.x), ("y", view.y)):
        column, bounds = st.columns(2)
        typed[axis] = column.text_input(
            f"Column of {axis} in your file", shown.name, key=f"release_{axis}", **KEEP
        )
        both = bounds.text_input(
            f"Public bounds of {axis}",
            f"{shown.lower:g}, {shown.upper:g}",
            key=f"release_{axis}_bounds",
            **KEEP,
        )
        typed[f"{axis}_bounds"] = parse_pair(both or "", f"public bounds of {axis}")
    return UploadedFile(
        x_column=typed["x"],
        y_column=typed["y"],
        x_bounds=typed["x_bounds"],
        y_bounds=typed["y_bounds"],
    )


def _source(question: str, key: str, example: str, opened: bool) -> str:
    """Draw the question where a choice comes from; return the words, or the mark that the data were looked at for it.

    With the mark the words stay in their box, which is disabled, but not in the plan.
    An opened file has the mark at first; at the choice it follows whether the last answer stands on public guesses.
    """
    box = st.container()
    help_ = text.OPEN_HERE if opened else text.MARK
    mark = f"{key}_looked" if opened else f"{key}_marked"
    st.session_state.setdefault(mark, opened)
    looked = st.checkbox("I looked at the data for this", key=mark, help=help_, **KEEP)
    with box:
        example = f"for example: {example}"
        words = st.text_input(
            plain(question), key=key, placeholder=example, disabled=looked, **KEEP
        )
    return LOOKED if looked else (words or "").strip()


def planned(
    view: View, mechanism: Mechanism, form: Mapping[str, Any], answers: Mapping[str, str]
) -> Plan:
    """Return the plan of the form; answers that are missing are noted as unsaid."""
    opened = isinstance(view.scenario.source, UploadedFile)
    noted = {name: words or text.UNSAID for name, words in answers.items()}
    data = view.grouped if opened else None
    return plan(view.scenario, algorithm=mechanism, data=data, **form, **noted)  # type: ignore[arg-type]


class Foreseen(NamedTuple):
    """Expectation on simulated records.

    Attributes
    ----------
    within : list of float or None
        By point: distance from OLS, in the unit square, within which 68% of releases are; None if unknown.
    releases : pandas.DataFrame or None
        DOTS equally likely estimates at the first point; None if its law is unknown.
    ols : pandas.Series
        OLS (center) and its standard error (standard_error) at the first point.
    """

    within: list[float | None]
    releases: pd.DataFrame | None
    ols: pd.Series


@kept(12, spinner="Computing the law of the release …")
def foreseen(plan_text: str, model: Synthetic, n: int) -> Foreseen:
    """Compute what to expect of a plan on simulated records.

    Parameters
    ----------
    plan_text : str
        Plan as JSON.
    model : Synthetic
        Model of the records.
    n : int
        Number of records.
    """
    release_plan, data = (
        Plan.from_json(plan_text),
        model.model_copy(update={"n": n}).load().dataset(),
    )
    laws = laws_on(release_plan, data)
    within = [error_about(law, center) for law, center in laws]
    law, center = laws[0]
    ols = pd.Series(
        {"center": center, "standard_error": float(data.standard_error(release_plan.at)[0])}
    )
    releases = (
        None if law is None else pd.DataFrame({"estimate": law.ppf((np.arange(DOTS) + 0.5) / DOTS)})
    )
    return Foreseen(
        [distance if np.isfinite(distance) else None for distance in within], releases, ols
    )


def pooling(
    view: View, able: list[Mechanism], release_plan: Plan, form: Mapping[str, Any], model: Synthetic
) -> str:
    """Return the sentence on the algorithm that pools the areas of a plan, and on what pooling costs.

    The cost is the ratio of two errors in an area of middle size, by the laws of both releases.
    """
    pools = next((m for m in able if m.name.startswith("CenteredStats")), CenteredStats())
    usual = next((m for m in able if m.name == USUAL), pools)
    compared = usual if type(release_plan.mechanism) is type(pools) else release_plan.mechanism
    n, blank = middle_size(release_plan), {"bounds_from": LOOKED, "choice_from": LOOKED}
    plans = (planned(view, mechanism, form, blank).to_json() for mechanism in (pools, compared))
    within = [foreseen(plan_text, model, n).within[0] for plan_text in plans]
    times = within[0] / within[1] if within[0] and within[1] else None
    return text.pools_sentence(pools.name, compared.name, times)


def middle_size(release_plan: Plan) -> int:
    """Return the median number of records of a plan's areas, the larger of two."""
    return sorted(release_plan.sizes.values())[len(release_plan.sizes) // 2]


@kept(12, spinner="Computing the error to expect in areas of each size …")
def errors_to_expect(plan_text: str, model: Synthetic) -> ExpectedErrors:
    """Compute the errors to expect of a plan, given as JSON, for each size of area."""
    return expected_errors(Plan.from_json(plan_text), model)


def points_table(release_plan: Plan, within: list[float | None]) -> pd.DataFrame:
    """Return the points of a plan, and the distance from OLS of 68% of releases, in the units of y."""
    near = [
        np.nan if distance is None else distance * release_plan.y.axis.scale for distance in within
    ]
    return pd.DataFrame(
        {
            "point": points_on(release_plan.x.axis, release_plan.at),
            "68% of releases are within, ±": near,
        }
    )


def areas_table(release_plan: Plan, expected: ExpectedErrors) -> pd.DataFrame:
    """Return the areas of a plan that have a line, with n and the expected error at each point, in the units of y."""
    table = pd.DataFrame(release_plan.sizes.items(), columns=["area", "n"])
    for number, point in enumerate(points_on(release_plan.x.axis, release_plan.at)):
        errors = [expected.at(n, number) or np.nan for n in release_plan.sizes.values()]
        table[f"expected error at {point}, ±"] = np.array(errors) * release_plan.y.axis.scale
    return table


def rehearsal_button(release_plan: Plan, model: Synthetic) -> None:
    """Draw a button that rehearses the plan on simulated records and saves the certificate, marked as a rehearsal."""
    if find_spec("opendp") is None:
        st.caption(plain(text.WITHOUT_OPENDP))
    elif len(release_plan.sizes) > MOST_AREAS:
        st.caption(plain(text.REHEARSED_AREAS.format(MOST_AREAS)))
    else:
        name, inputs = "REHEARSAL-certificate.html", (release_plan.to_json(), model)
        page = partial(_rehearsal_page, release_plan, model)
        make_and_save("a rehearsal", page, name, "text/html", inputs)


def _rehearsal_page(release_plan: Plan, model: Synthetic) -> bytes:
    return as_page(rehearse(release_plan, rehearsal_records(release_plan, model))).encode()
