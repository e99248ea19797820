"""The Paper page: a square for each claim; a figure, its parameters, its measuring, its picture and files."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial
from typing import Any
from urllib.parse import urlencode

import pandas as pd
import streamlit as st

from dpslr_core.charts.claims import DIFFER, ERRORS, HIDDEN, HOLD, claim_squares
from dpslr_core.charts.compared import PICKED
from dpslr_core.charts.vega import written
from dpslr_core.paper import results
from dpslr_core.paper.claim import ClaimKind
from dpslr_core.paper.claims import CLAIMS
from dpslr_core.paper.figures import FIGURES, Effort, Figure, Settings, figure_named
from dpslr_core.paper.pictures import for_page, together
from dpslr_core.report.metadata import claims_metadata
from dpslr_core.report.scripts import figure_command, figure_script
from dpslr_core.sources.samples import DataUnavailable
from dpslr_core.support.readable import in_full
from dpslr_core.support.workers import in_order

from . import show, takeaway
from .cache import kept
from .ends import Container, end_page
from .findings import stored
from .inputs import Allowed, chosen_text, follows, number_box
from .link import LINK, options_text, set_to
from .page import answer
from .plain import plain
from .settings import CHOSEN
from .takeaway import make_and_save, take_away
from .work import WAIT, Work, on_all_cores, progress

KEY = "figure"
NAMES = [figure.name for figure in FIGURES]
VIEWS, ALL_CLAIMS = ["", *NAMES], "All claims"
COLUMNS = 3
FILES = {".svg": "image/svg+xml", ".png": "image/png", ".html": "text/html"}
ALL = "all"  # choice of all kinds of claims
CLAIM = "claim"  # name in the link of the shown claim
GROUPS = {
    ClaimKind.HOLDS.value: HOLD,
    ClaimKind.NOT_PUBLIC.value: HIDDEN,
    ClaimKind.NOT_IN_PRINT.value: HIDDEN,
    ClaimKind.ERROR_IN_PRINT.value: ERRORS,
}
CRUMB = "Alabi, McMillan, Sarathy, Smith, Vadhan: Differentially Private Simple Linear Regression"
ROW, HEIGHT = 104, 640  # pixels of the table of claims; sentences have four lines


def figure_is_open() -> bool:
    """Return whether the link or a choice names a figure, before the choice is drawn."""
    return bool(st.session_state.get(KEY, st.query_params.get(KEY)))


def figure_choice() -> Figure | None:
    """Draw the choice of a figure, from a list in the paper's order or by a step; return it, None for all claims."""
    shown = chosen_text(KEY, VIEWS, "", lambda name: name or ALL_CLAIMS, options_text(NAMES))
    index = VIEWS.index(shown)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.selectbox(
            "Open",
            VIEWS,
            index,
            format_func=lambda name: figure_named(name).heading if name else ALL_CLAIMS,
            **follows(f"{KEY}_list", shown, lambda name: set_to(KEY, name)),
        )
        for label, hint, target in (
            ("←", "Previous figure", index - 1),
            ("→", "Next figure", index + 1),
        ):
            inside = 0 <= target < len(VIEWS)
            name = VIEWS[target] if inside else ""
            st.button(
                label,
                key=f"figure_{hint}",
                help=hint,
                on_click=set_to,
                args=(KEY, name),
                disabled=not inside,
            )
    return figure_named(shown) if shown else None


def parameters(figure: Figure) -> Settings:
    """Draw the parameters of a figure, at first the paper's; return the settings."""
    effort, quick = Effort.QUICK, figure.quick
    if figure.has_full:
        hint = (
            f"{figure.full.datasets or 'All'} data sets in place of {quick.datasets or 'all'}, "
            f"{figure.full.trials:,} trials in place of {quick.trials:,}. It takes minutes; what "
            "is measured is kept."
        )
        if st.toggle(
            "As many data sets and trials as the paper", key="full_figure", help=hint, **LINK
        ):
            effort = Effort.FULL
    values: dict[str, Any] = {}
    if figure.parameters:
        with st.expander("Parameters"):
            for start in range(0, len(figure.parameters), COLUMNS):
                columns = st.columns(COLUMNS)
                for column, parameter in zip(
                    columns, figure.parameters[start : start + COLUMNS], strict=False
                ):
                    with column:
                        value = number_box(
                            f"{parameter.label}{'' if parameter.printed else ' *'}",
                            f"{figure.name}.{parameter.name}",
                            parameter.default,
                            Allowed(
                                parameter.low,
                                parameter.high,
                                whole=isinstance(parameter.default, int),
                            ),
                            help=f"Here {in_full(parameter.default)} at first.",
                        )
                    values[parameter.name] = parameter.default if value is None else value
            st.caption("A parameter marked * is not in print; its value was chosen here.")
    settings = figure.settings(values, effort, st.session_state[CHOSEN][0].seed)
    if changed := figure.changed_from_print(settings):
        st.caption(plain(f"Changed: {changed}."))
    return settings


def figure_query(figure: Figure, settings: Settings) -> str:
    """Return the query of the link that shows a figure with these settings."""
    changed = {
        f"{figure.name}.{name}": value
        for name, value in settings.values
        if value != figure.settings()[name]
    }
    full = {"full_figure": "true"} if figure.has_full and settings.amount == figure.full else {}
    seed = {"seed": settings.seed} if settings.seed else {}
    return urlencode({KEY: figure.name} | changed | full | seed)


@dataclass
class Shelf:
    """Measurements of one figure.

    Attributes
    ----------
    parts : dict of int to pandas.DataFrame
        Measured parts by number.
    frame : pandas.DataFrame or None
        All rows, once every part is measured.
    """

    parts: dict[int, pd.DataFrame] = field(default_factory=dict)
    frame: pd.DataFrame | None = None


def measured(figure: Figure, settings: Settings) -> pd.DataFrame:
    """Measure the missing parts of a figure and return its rows; end the page with a sentence if that fails.

    A bar is shown if the work takes long. A click that allows long work holds for another seed too.
    """
    shelf = _shelf(repr((figure.name, settings)))
    if shelf.frame is not None:
        return shelf.frame
    what = f"figure {figure.name} {settings.values} {settings.amount}"
    work = Work(what, "its parameters", command=shlex.join(["dpslr", "figure", figure.name]))
    try:
        tasks = list(figure.tasks(settings))

        def missing(workers: int) -> Iterator[tuple[int, pd.DataFrame]]:
            numbers = [number for number in range(len(tasks)) if number not in shelf.parts]
            return zip(
                numbers,
                in_order(figure.measure, [tasks[number] for number in numbers], workers),
                strict=True,
            )

        count, done = len(tasks) - len(shelf.parts), f"of {len(tasks):,} parts"
        with closing(on_all_cores(missing, count)) as arriving:
            for number, frame in progress(
                arriving, work, lambda arrived: f"{arrived[0]:,} {done}", count, wait=WAIT
            ):
                shelf.parts[number] = frame
        shelf.frame = figure.joined(
            [shelf.parts[number] for number in sorted(shelf.parts)], settings
        )
    except (DataUnavailable, ValueError) as problem:
        st.warning(plain(f"This figure cannot be drawn: {problem}"))
        end_page()
    shelf.parts.clear()
    return shelf.frame


@kept(60, scope="global")
def _shelf(key: str) -> Shelf:
    """Return the shelf of one figure with its settings; it fills as parts arrive."""
    return Shelf()


def picture(figure: Figure, frame: pd.DataFrame, settings: Settings) -> None:
    """Draw panels side by side where there is room, the claims on them, the numbers and the files."""
    panels = figure.panels(frame, settings)
    across = min(figure.columns, len(panels))
    drawn = {title: for_page(panel, across) for title, panel in panels.items()}
    show.panels(drawn, f"The paper says: {figure.says}", figure.name, across)
    if figure.note:
        st.caption(plain(figure.note))
    table = stored(_table) if figure.claims else None
    if table is not None:
        with st.expander("The claims on this figure"):
            for _, row in results.on_figure(figure, table).iterrows():
                _claim(row)
    with st.expander("The numbers in this picture"):
        show.numbers(frame, figure.name)

    def content(suffix: str) -> bytes:
        return written(together(figure.panels(frame, settings), figure.columns), suffix)

    with st.container(horizontal=True):
        for suffix, kind in FILES.items():
            name = f"{figure.name}{suffix}"
            label = f"the picture ({suffix[1:].upper()})"
            make_and_save(
                label, partial(content, suffix), name, kind, figure_query(figure, settings)
            )
    take_away(
        page="paper",
        name=figure.name,
        query=figure_query(figure, settings),
        table=frame,
        script=partial(figure_script, figure, settings),
        command=figure_command(figure, settings),
    )


def claims(heading: Container) -> None:
    """Draw how many claims hold, a square for each claim, the chosen claim, and the table of all.

    Parameters
    ----------
    heading : container
        Container of the headline.
    """
    table = stored(_table)
    if table is None:
        return
    takeaway.declare(claims_metadata(_version()))
    headline = results.headline(table)
    with heading.container():
        answer(headline, results.reasons(table), CRUMB)
    keys = [claim.key for claim in CLAIMS]
    picked = chosen_text(CLAIM, ["", *keys], "", lambda key: key or "none", options_text(keys))
    across = 14 if show.on_a_phone() else 52
    drawn = claim_squares(squares(table), across, picked)
    show.vega(drawn, headline, "claims", on_select=_pick, selection_mode=PICKED)
    if picked:
        _claim(table.iloc[keys.index(picked)])
    with st.expander("Table of claims"):
        st.caption(plain(results.CAPTION))
        present = [kind.value for kind in ClaimKind if (table["kind"] == kind.value).any()]
        kind = st.segmented_control(
            "Claims", [ALL, *present], default=ALL, key="claims", required=True
        )
        rows = results.chosen(table, None if kind == ALL else kind)
        widths = {
            "claim": 260,
            "paper": 100,
            "ours": 100,
            "why": 340,
            "kind": 110,
            "where": 160,
        }  # pixels
        columns = {
            results.COLUMNS[name]: st.column_config.TextColumn(width=width)
            for name, width in widths.items()
        }
        show.numbers(rows, "paper_claims", columns, height=HEIGHT, row_height=ROW)


def squares(table: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of the table of claims as `claim_squares` takes them."""
    keys = [claim.key for claim in CLAIMS]
    groups = table["kind"].map(GROUPS).fillna(DIFFER)
    return table[["claim", "kind", "where"]].assign(key=keys, group=groups)


def _pick() -> None:
    """Choose the claim whose square was clicked."""
    if rows := st.session_state["chart_claims"].selection.get(PICKED):
        set_to(CLAIM, rows[0]["key"])


def _claim(row: pd.Series) -> None:
    """Draw a claim: the paper's words, our number and the reason."""
    with st.container(border=True, gap="xsmall"):
        st.markdown(plain(row["claim"]))
        st.markdown(
            f"In print: **{plain(row['paper'])}**. Here: **{plain(row['ours'] or 'none')}** "
            f"({plain(row['kind'])})."
        )
        st.caption(plain(f"{row['why']} {row['where']}."))


@kept(1, scope="global")
def _table() -> pd.DataFrame:
    """Load the stored results of all claims."""
    return results.frame(results.load())


_version = kept(1, scope="global")(results.stored_version)
