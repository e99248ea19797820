"""The ranking table and the drawing of private lines on the Compare page."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from dpslr_core.experiments import Comparison
from dpslr_core.mechanisms import Mechanism

from .settings import View

LINES = 20  # private lines drawn per algorithm

COLUMNS = {
    "C(68) / standard error": st.column_config.NumberColumn(
        format="%.3g", help="Below 1 the noise for privacy is less than the sampling error."
    ),
    "failure rate": st.column_config.NumberColumn(format="percent", help="Share of releases without an answer."),
}


def table(comparison: Comparison, view: View, at: float) -> pd.DataFrame:
    """All algorithms at one point in the units of y: the private ones, the best first, then the others."""
    by_name = {m.name: m for m in view.scenario.compared}
    rows = comparison.summary[comparison.summary["at"] == at]
    open_ = [not by_name[name].guarantee(view.scenario.epsilon).private for name in rows["mechanism"]]
    rows = rows.assign(open=open_).sort_values(["open", "c68"], kind="stable")
    unit = f" ({view.y.unit})" if view.y.unit else ""
    scaled = {
        column: rows[column].to_numpy() * view.y.scale for column in ("c68", "c95", "bias", "c68_low", "c68_high")
    }
    return pd.DataFrame({
        "algorithm": rows["mechanism"].to_numpy(),
        "C(68) / standard error": rows["ratio"].to_numpy(),
        f"C(68){unit}": scaled["c68"],
        f"C(95){unit}": scaled["c95"],
        f"median bias{unit}": scaled["bias"],
        "failure rate": rows["failure_rate"].to_numpy(),
        "guarantee": [str(by_name[name].guarantee(view.scenario.epsilon)) for name in rows["mechanism"]],
        "how": [
            how if exact else f"{how}: {low:.3g} to {high:.3g}"
            for how, exact, low, high in zip(
                rows["how"], rows["exact"], scaled["c68_low"], scaled["c68_high"], strict=True
            )
        ],
        "budget": [_ledger(by_name[name], view) for name in rows["mechanism"]],
    })  # fmt: skip


def _ledger(mechanism: Mechanism, view: View) -> str:
    """The ledger in one line."""
    spends = mechanism.ledger(view.scenario.epsilon, view.scenario.at)
    return "; ".join(f"{spend.what}: {spend.share:.4g}" for spend in spends) or "none"


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
    return int(left.number_input("Draw", 0, last, key="draw", bind="query-params"))
