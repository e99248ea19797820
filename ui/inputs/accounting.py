"""By which rule each algorithm spends epsilon."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt

import streamlit as st

from dpslr_core.privacy import rho_of
from dpslr_core.privacy.accounting import APPROX, Accounting, OneDelta, for_one_record, rule_of
from dpslr_core.text.privacy.kinds import best_guess_sentence

from ..controls import EPSILON
from ..plain import plain
from .link_value import LinkValue
from .number import Allowed, number_box

KEY = "accounting"
_LIST, _DELTA, _RHO = "accounting_list", "accounting_delta", "accounting_rho"  # keys of the widgets
_Rule = Accounting | OneDelta
_RULES: dict[str, _Rule] = {**{rule.value: rule for rule in Accounting}, APPROX: OneDelta()}


def accounting_choice(epsilon: float) -> None:
    """The rules, each with a sentence, and the numbers that belong to the chosen one."""
    rule = LINKED.take()
    st.session_state[_LIST] = APPROX if isinstance(rule, OneDelta) else rule.value
    st.selectbox(
        "What each algorithm may spend", list(_RULES), key=_LIST, on_change=_follow_list, format_func=_label,
        help="\n".join(f"- **{_label(name)}**: {rule.explanation}" for name, rule in _RULES.items()),
    )  # fmt: skip
    if isinstance(rule, OneDelta):
        st.session_state[_DELTA] = rule.delta
        number_box(
            "δ", _DELTA, Allowed(1e-18, 0.5), _follow_delta,
            help="With this probability the promise of ε may fail. It is usually far below 1/n.",
        )  # fmt: skip
    elif rule is Accounting.CONCENTRATED:
        st.session_state[_RHO] = rho_of(epsilon)
        number_box(
            "ρ = ε²/2", _RHO, Allowed(rho_of(EPSILON.least), rho_of(EPSILON.most)), _follow_rho,
            help="Another ρ is another ε.",
        )  # fmt: skip
    elif rule is Accounting.ATTACK:
        st.caption(plain(best_guess_sentence(epsilon)))
    LINKED.put()


def _label(name: str) -> str:
    """Of a rule in the list, where δ is not yet chosen."""
    return "one (ε, δ) for all" if name == APPROX else _RULES[name].label


def _follow_list() -> None:
    st.session_state[KEY] = _RULES[st.session_state[_LIST]]


def _follow_delta() -> None:
    st.session_state[KEY] = OneDelta(st.session_state[_DELTA])


def _follow_rho() -> None:
    st.session_state["epsilon"] = sqrt(2 * st.session_state[_RHO])


def _read(texts: Sequence[str]) -> _Rule:
    try:
        rule: _Rule = for_one_record(rule_of(texts[-1]))[0] if texts else Accounting.PAPER
        return rule
    except ValueError:
        return Accounting.PAPER


LINKED: LinkValue[_Rule] = LinkValue(KEY, _read, lambda rule: [] if rule is Accounting.PAPER else [str(rule)])
