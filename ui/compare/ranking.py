"""The ranking table and the drawing of private lines on the Compare page."""

from __future__ import annotations

from typing import Any

import pandas as pd
import streamlit as st

from dpslr_core.mechanisms import Mechanism
from dpslr_core.privacy import booked
from dpslr_core.privacy.accounting import paid

from ..controls import BOUND
from ..settings import View

LINES = 20  # private lines drawn per algorithm

RATIO = "error / standard error (68%)"


def columns(view: View) -> dict[str, Any]:
    """How the columns of the table are shown and explained."""
    unit, number = _unit(view), st.column_config.NumberColumn
    return {
        RATIO: number(
            help="The error is C(68): 68% of the releases are this near to OLS. Below 1 it is less than the sampling "
            "error. A dash: it does not answer in 68% of the releases."
        ),
        f"noise alone{unit}": number(
            help="68% of the releases are this near to the algorithm's own target. More ε makes it smaller."
        ),
        f"gap{unit}": number(help="How far the algorithm's own target is from OLS on these data, whatever ε is."),
        "no answer": number(format="percent", help="Share of releases without an answer."),
    }


def table(ranked: pd.DataFrame, view: View) -> pd.DataFrame:
    """The ranking in the units of y."""
    by_name = {m.name: m for m in view.scenario.admitted}
    unit = _unit(view)
    return pd.DataFrame({
        "algorithm": ranked["algorithm"].array,
        RATIO: ranked["ratio"].array,
        f"C(68){unit}": ranked["c68"].to_numpy() * view.y.scale,
        f"C(95){unit}": ranked["c95"].to_numpy() * view.y.scale,
        f"noise alone{unit}": ranked["noise"].to_numpy() * view.y.scale,
        f"gap{unit}": ranked["gap"].to_numpy() * view.y.scale,
        "no answer": ranked["failure_rate"].array,
        "guarantee": ranked["guarantee"].array,
        f"median − OLS{unit}": ranked["bias"].to_numpy() * view.y.scale,
        "how it is known": ranked["how"].array,
        "what the budget pays for": [_ledger(by_name[name], view) for name in ranked["algorithm"].tolist()],
    })  # fmt: skip


def _unit(view: View) -> str:
    return f" ({view.y.unit})" if view.y.unit else ""


def _ledger(mechanism: Mechanism, view: View) -> str:
    """The ledger in one line."""
    budget = paid(mechanism, view.scenario.budget)
    costs = booked(mechanism.ledger(budget.epsilon, budget.at), mechanism.guarantee(budget.epsilon))
    rows = "; ".join(f"{what}: {cost}" for what, cost in costs)
    several = view.scenario.records_per_person > 1
    return f"{rows}; for one record" if rows and several else rows or "none"


def in_units(frame: pd.DataFrame, view: View) -> pd.DataFrame:
    """A copy whose columns of positions are in the user's units."""
    axes = {"x": view.x} | dict.fromkeys(("estimate", "y", "ols", "low", "high", "theil_sen"), view.y)
    return frame.assign(**{name: axes[name].from_unit(frame[name]) for name in frame.columns.intersection(list(axes))})


def draw_again(view: View) -> int:
    """Which twenty of the trials to draw; the button moves on to the next twenty."""
    last = max(view.scenario.trials // LINES - 1, 0)

    def step() -> None:
        st.session_state["draw"] = 0 if st.session_state["draw"] >= last else st.session_state["draw"] + 1

    left, right = st.columns([1, 5], vertical_alignment="bottom")
    right.button("Draw again", on_click=step, help="Twenty other releases of the same algorithms.")
    return int(left.number_input("Draw", 0, last, key="draw", **BOUND))
