"""Which output distributions are drawn at first; the others appear where their row is pointed at."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from dpslr_core.experiments.ranking import best_pure

KEY, TOUCHED = "curves", "curves_chosen"
USUAL = ("NoisyStats", "NoisyIntercept")


def curves_shown(ranked: pd.DataFrame) -> list[str]:
    """The chosen curves: at first the best pure algorithm's, NoisyStats' and NoisyIntercept's; kept once chosen."""
    names = list(ranked["algorithm"])
    if not st.session_state.get(TOUCHED):
        st.session_state[KEY] = [name for name in dict.fromkeys((best_pure(ranked), *USUAL)) if name in names]
    else:
        st.session_state[KEY] = [name for name in st.session_state.get(KEY, []) if name in names]
    shown = st.pills(
        "Output distributions drawn below", names, selection_mode="multi", key=KEY, on_change=_touched,
        help="Pointing at a row of the ranking shows its curve as well.", persist_state="session",
    )  # fmt: skip
    return list(shown or [])


def _touched() -> None:
    st.session_state[TOUCHED] = True
