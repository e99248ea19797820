"""Which figure is shown, and with which parameters; both stand in the link."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from urllib.parse import urlencode

import streamlit as st

from dpslr_core.paper.figures import FIGURES, Effort, Figure, Parameter, Settings, figure_named
from dpslr_core.support.readable import in_full

from ..controls import BOUND
from ..inputs import Allowed, linked_number
from ..link import LinkValue
from ..plain import plain

KEY = "figure"
NAMES = [figure.name for figure in FIGURES]
COLUMNS = 3


def figure_choice() -> Figure:
    """One figure, chosen from a list in the paper's order, or by a step."""
    place = NAMES.index(LINKED.take())
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.selectbox("Figure", NAMES, key=KEY, format_func=lambda name: figure_named(name).heading)
        _step("←", "Previous figure", place - 1)
        _step("→", "Next figure", place + 1)
    LINKED.put()
    return figure_named(str(st.session_state[KEY]))


def _step(label: str, hint: str, place: int) -> None:
    """A button that shows the figure at a place of the list, where there is one."""
    inside = 0 <= place < len(NAMES)

    def go() -> None:
        st.session_state[KEY] = NAMES[place]

    st.button(label, key=f"figure_{hint}", help=hint, on_click=go, disabled=not inside)


def parameters(figure: Figure) -> Settings:
    """The settings of a figure: the paper's, or what is chosen in their place."""
    effort = Effort.QUICK
    if figure.has_full:
        full = st.toggle("As many data sets and trials as the paper", key="full_figure", help=_cost(figure), **BOUND)
        effort = Effort.FULL if full else Effort.QUICK
    values: dict[str, Any] = {}
    if figure.parameters:
        with st.expander("Parameters"):
            for start in range(0, len(figure.parameters), COLUMNS):
                columns = st.columns(COLUMNS)
                for column, parameter in zip(columns, figure.parameters[start : start + COLUMNS], strict=False):
                    with column:
                        values[parameter.name] = _number(figure, parameter)
            st.caption("A parameter marked * is not in print; its value was chosen here.")
    settings = figure.settings(values, effort, int(st.session_state.get("seed", 0)))
    if changed := figure.changed_from_print(settings):
        st.caption(plain(f"Changed: {changed}."))
    return settings


def figure_query(figure: Figure, settings: Settings) -> str:
    """The query of the link that shows a figure with these settings."""
    changed = {f"{figure.name}.{name}": value for name, value in settings.values if value != figure.settings()[name]}
    full = {"full_figure": "true"} if figure.has_full and settings.amount == figure.full else {}
    seed = {"seed": settings.seed} if settings.seed else {}
    return urlencode({KEY: LINKED.written(figure.name), **changed, **full, **seed}, doseq=True)


def _cost(figure: Figure) -> str:
    """What full means."""
    full, quick = figure.full, figure.quick
    return (
        f"{full.datasets or 'All'} data sets in place of {quick.datasets or 'all'}, {full.trials:,} trials in place of "
        f"{quick.trials:,}. It takes minutes; what is measured is kept."
    )


def _number(figure: Figure, parameter: Parameter) -> float | int:
    """The box of one parameter."""
    value = linked_number(
        f"{parameter.label}{'' if parameter.printed else ' *'}", key=f"{figure.name}.{parameter.name}",
        usual=parameter.default, help=f"Here {in_full(parameter.default)} at first.",
        allowed=Allowed(parameter.low, parameter.high, whole=isinstance(parameter.default, int)),
    )  # fmt: skip
    return parameter.default if value is None else value


def _read(texts: Sequence[str]) -> str:
    return next((text for text in texts if text in NAMES), NAMES[0])


LINKED = LinkValue(KEY, _read, lambda name: [] if name == NAMES[0] else [name])
