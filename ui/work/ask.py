"""Before a long run: how long it takes and a button, or what to reduce where it is beyond this server."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from dpslr_core.scenario import Scenario
from dpslr_core.support.work.limits import AT_ONCE, Cost, server_limit
from dpslr_core.text.work import asked, refused, run_it

from ..plain import plain
from ..sessions.private_names import end_page
from ..takeaway import download
from .run import current_run, grant, granted


@dataclass(frozen=True)
class Work:
    """What a page is about to compute.

    what: all that its cost depends on; a click holds for it. reduce: the settings that it depends on, as words.
    command: the same from a terminal, where there is no limit, with the scenario in a file; "" where there is none.
    """

    what: str
    reduce: str
    command: str = ""
    scenario: Scenario | None = None


def within_budget(cost: Cost, work: Work) -> None:
    """Go on where work may start; otherwise a sentence and the end of the page. cost: of what is not kept yet."""
    if not affordable(cost, work):
        offer(cost, work)
        end_page()
    current_run().expect(cost.seconds, work.what)


def affordable(cost: Cost, work: Work) -> bool:
    """Whether work may start: cheap beside what this page has computed already, or asked for by a click."""
    if not cost.within(server_limit()):
        return False
    return cost.seconds <= granted(work.what) or (cost + Cost(current_run().spent)).within(AT_ONCE)


def offer(cost: Cost, work: Work) -> None:
    """The button that lets work start; what to reduce, and the command, where it is beyond the server's limit."""
    with st.container():  # one place, wherever it is drawn
        _offer(cost, work)


def _offer(cost: Cost, work: Work) -> None:
    limit = server_limit()
    if cost.within(limit):
        st.info(plain(asked(cost)))
        st.button(run_it(cost), key="work_run", type="primary", on_click=grant, args=(work.what, cost.seconds))
        return
    st.warning(plain(refused(cost, limit, work.reduce)))
    if work.command:
        st.caption("From a terminal, which has no limit, with scenario.json in the folder:")
        st.code(work.command, language=None)
    if work.scenario is not None:
        written = work.scenario.model_dump_json(indent=2)
        download("Scenario (JSON)", lambda: written.encode(), "scenario.json", "application/json")
