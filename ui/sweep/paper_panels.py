"""The panels of the paper's figures on synthetic data, each opened by a plain link."""

from __future__ import annotations

from typing import Any

import streamlit as st

from dpslr_core.experiments.sweep.paper_sweeps import PAPER_SWEEPS, PaperSweep
from dpslr_core.experiments.sweep.ranges import RANGES, USUAL_DATASETS, spaced

from ..links import same_tab


def paper_panels() -> None:
    """The nine panels as links; relative, so that they work below any base path."""
    st.markdown("**The paper's panels**")
    items = (f"- {same_tab('sweep', panel_query(panel), panel.title)}" for panel in PAPER_SWEEPS)
    st.markdown("\n".join(items), unsafe_allow_html=True)
    st.caption(
        f"Over {USUAL_DATASETS} data sets at first; the paper averages over 500. Not all of its settings are in print: "
        "those that stand in for them are below the picture."
    )


def panel_query(panel: PaperSweep) -> dict[str, Any]:
    """The parameters of the link to this page with everything as in the panel."""
    scenario = panel.base.model_copy(update={"trials": panel.trials})
    return scenario.to_query() | values_query(panel.parameter, panel.values)


def values_query(parameter: str, values: tuple[float, ...]) -> dict[str, str]:
    """The controls of the page that give these values: a range where they are evenly spaced, else one by one."""
    low, high = values[0], values[-1]
    query = {"vary": RANGES[parameter].name}
    if spaced(parameter, low, high, len(values)) != values:
        return query | {f"{parameter}_list": ", ".join(f"{value:g}" for value in values)}
    return query | {f"{parameter}_from": f"{low:g}", f"{parameter}_to": f"{high:g}", "values": str(len(values))}
