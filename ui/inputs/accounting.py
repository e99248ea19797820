"""By which rule each algorithm spends epsilon."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from dpslr_core.support.accounting import Accounting

from .link_value import LinkValue

KEY = "accounting"


def accounting_choice() -> None:
    """The four rules, each with a sentence."""
    LINKED.take()
    st.selectbox(
        "What each algorithm may spend", list(Accounting), key=KEY, format_func=lambda rule: rule.label,
        help="\n".join(f"- **{rule.label}**: {rule.explanation}" for rule in Accounting),
    )  # fmt: skip
    LINKED.put()


def _read(texts: Sequence[str]) -> Accounting:
    return next((rule for rule in Accounting if rule.value in texts), Accounting.PAPER)


LINKED = LinkValue(KEY, _read, lambda rule: [] if rule is Accounting.PAPER else [rule.value])
