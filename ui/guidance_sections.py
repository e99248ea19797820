"""The parts of the Guidance page below its answer."""

from __future__ import annotations

from typing import Any

import pandas as pd
import streamlit as st

from dpslr_core.charts import guidance as guidance_charts
from dpslr_core.guidance import Recommendation
from dpslr_core.guidance.winner_map import MapSettings, WinnerMap, against_the_paper
from dpslr_core.scenario import Scenario
from dpslr_core.wording import more

from . import guidance_runs, present
from .plain import plain
from .settings import View

BOUND: Any = {"bind": "query-params"}
HERE = "here"
RATIOS = (0.25, 0.5, 0.75, 1, 1.5, 2, 3, 5, 10)
MANY = 20_000  # records beyond which a law of all pairs takes seconds, and solving takes forty of them
CHOICE, ROBUST, STATISTICS = "ChooseByNoisyVariance", "DPExpTheilSen", "NoisyStats"


def evidence(recommendation: Recommendation) -> None:
    """Every algorithm's error on the simulated data sets."""
    rows = recommendation.evidence
    sentence = (
        f"Mean error on {_datasets(recommendation)} simulated data sets with 95% Monte-Carlo intervals: "
        f"{recommendation.algorithm} {recommendation.error(str(recommendation.algorithm)):.2f}, OLS without privacy "
        f"{recommendation.error('OLS'):.2f} standard errors. "
        "Hollow dots are not private, or promise less than asked for."
    )
    present.chart(guidance_charts.evidence(rows), sentence, rows, "evidence")


def _datasets(recommendation: Recommendation) -> str:
    """How many data sets, and how many more where it was close."""
    most = int(recommendation.evidence["datasets"].max())
    first = recommendation.datasets
    return f"{first}" if most == first else f"{first} (of the closest up to {most})"


def map_section(recommendation: Recommendation, base: Scenario, weaker: bool) -> None:
    """The winner map with two controls that move the point."""
    st.subheader("Winner map")
    own = st.toggle(
        "Compute the map for these guesses", False, key="own_map", **BOUND,
        help=f"ε, σₓ², slope, points and ranges as above, n up to {guidance_runs.MAP_SIZES[1]:,}; about a minute.",
    )  # fmt: skip
    try:
        shown = guidance_runs.own_map(base) if own else guidance_runs.stored_map()
    except (OSError, ValueError) as problem:
        st.warning(plain(problem))
        return
    product, var_e = _moved(shown, recommendation)
    won, cell = shown.winners(weaker), shown.nearest(product, var_e, weaker)
    s = shown.settings
    sentence = (
        f"At ε n σₓ² = {product:,.4g} and σₑ² = {var_e:.3g} the nearest cell of the map is won by {cell['winner']} "
        f"with an error of {cell['error']:.2f} standard errors; next is {cell['second']}, {more(cell['margin'])}. "
        "Paler cells are closer races; on the dashed line the winner's error, privacy included, is one standard error."
        f"{_other_settings(recommendation, str(cell['winner']), s, (product, var_e) == _guessed(recommendation))}"
    )
    present.chart(guidance_charts.winner_map(won, (product, var_e)), sentence, won, "winner_map")
    st.caption(
        f"Map: ε = {s.epsilon:g}, σₓ² = {s.var_x:g}, n from {s.n_of(s.products[0]):,} to {s.n_of(s.products[-1]):,}, "
        f"x_new = {', '.join(f'{p:g}' for p in s.at)}, slope {s.slope:g}, range [{s.lower:g}, {s.upper:g}], "
        f"θ = {s.theta:g}, {s.datasets} simulated data sets per cell, seed {s.seed}. {against_the_paper(shown)}"
    )


def _other_settings(recommendation: Recommendation, winner: str, s: MapSettings, here: bool) -> str:
    """Why the cell at the guesses may have another winner than the answer."""
    if not here or recommendation.algorithm in (None, winner):
        return ""
    return (
        f" That is not the answer above, which is the one that counts: the map is made for ε = {s.epsilon:g} and "
        f"σₓ² = {s.var_x:g}, in coarse cells of {s.datasets} simulated data sets."
    )


def _guessed(recommendation: Recommendation) -> tuple[float, float]:
    """epsilon n var(x) and var_e of the guesses."""
    return recommendation.circumstances.epsilon_nvar, recommendation.circumstances.var_e


def _moved(shown: WinnerMap, recommendation: Recommendation) -> tuple[float, float]:
    """epsilon n var(x) and var_e of the point: the guesses', unless a control moves it."""
    left, right = st.columns(2)
    here = dict(zip(("map_product", "map_var_e"), _guessed(recommendation), strict=True))
    labels = {"map_product": "Move the point: ε n σₓ²", "map_var_e": "Move the point: σₑ²"}
    values = {"map_product": shown.settings.products, "map_var_e": shown.settings.var_es}
    moved: list[float] = []
    for column, (key, label) in zip((left, right), labels.items(), strict=True):
        options = [HERE, *(f"{value:.4g}" for value in values[key])]
        chosen = column.select_slider(label, options, HERE, key=key, **BOUND)
        moved.append(here[key] if chosen == HERE else float(str(chosen)))
    return moved[0], moved[1]


def required_section(recommendation: Recommendation, view: View) -> None:
    """The smallest epsilon or n that is good enough."""
    st.subheader("How much would be enough?")
    left, right = st.columns([2, 1])
    r = float(left.select_slider(
        "Target: C(68) in standard errors, at most", RATIOS, 1, key="r", help="1: as large as the sampling error.",
        **BOUND,
    ))  # fmt: skip
    solve_for = str(
        right.segmented_control("Solve for", ["ε", "n"], default="ε", key="solve_for", required=True, **BOUND)
    )
    columns = {}
    if solve_for == "ε":
        if view.data.n <= MANY:
            columns["smallest ε, the data set"] = guidance_runs.required(recommendation, view.data, solve_for, r)
        columns["smallest ε, simulated data sets"] = guidance_runs.required(recommendation, None, solve_for, r)
    else:
        columns["smallest n, simulated data sets"] = guidance_runs.required(recommendation, None, solve_for, r)
    table = pd.DataFrame({"algorithm": [required.mechanism for required in next(iter(columns.values()))]})
    for name, values in columns.items():
        table[name] = [required.text for required in values]
    st.markdown(_enough(columns, solve_for, r, recommendation))
    st.caption(_meaning(len(columns) > 1, view.scenario.source != "synthetic"))
    present.numbers(table, "enough", height="content")


def _enough(columns: dict[str, Any], solve_for: str, r: float, recommendation: Recommendation) -> str:
    """Who needs least."""
    values = list(columns.values())[-1]
    reached = [required for required in values if required.value is not None]
    others = "everything else as guessed" if solve_for == "ε" else f"ε = {recommendation.budget.epsilon:g}"
    if not reached:
        return f"On simulated data sets no algorithm's noise comes down to {r:g} standard errors with {others}."
    least = min(reached, key=lambda required: float(required.value or 0))
    return (
        f"On simulated data sets, {others}, {least.mechanism} needs the least: {solve_for} = {least.text} for noise "
        f"of at most {r:g} standard errors; {len(reached)} of {len(values)} algorithms get there."
    )


def _meaning(both: bool, loaded: bool) -> str:
    """What the columns count."""
    said = ["At every x_new; on simulated data sets on average over them."]
    if both:
        said.append("One data set may need more or less: the noise is counted from its own OLS line.")
    if loaded and both:
        said.append("Its column looks at the data: right for public or synthetic data only.")
    return " ".join(said)


def private_choice(recommendation: Recommendation, looked: bool) -> None:
    """What choosing by the data costs when it is done privately."""
    st.subheader("May I choose by looking at the data?")
    read_off = "The guesses above were read off the data: choose on public ones"
    advised = read_off if looked else "Choose on public guesses, as above"
    st.markdown(
        "Not for free: an algorithm chosen because it did best on the private data reveals something about them. "
        f"{advised}, or pay for a look."
    )
    choice, robust, statistics = (recommendation.error(name) for name in (CHOICE, ROBUST, STATISTICS))
    mechanism = next((m for m in recommendation.mechanisms if m.name == CHOICE), None)
    if mechanism is None or not recommendation.algorithm:
        st.caption(f"Add {CHOICE} to the algorithms in the sidebar to see what a private look costs.")
        return
    share, best = getattr(mechanism, "share", 0.0), recommendation.error(recommendation.algorithm)
    gains = [
        f"against {error:.2f} had you settled on {name} instead"
        for name, error in ((ROBUST, robust), (STATISTICS, statistics))
        if error > choice
    ]
    st.markdown(
        f"**{CHOICE}** spends {share:.0%} of ε on a noisy n var(x) and takes NoisyStats or DPExpTheilSen by it. On "
        f"these data sets its error is {choice:.2f} standard errors, {more(choice / best - 1)} than with "
        f"{recommendation.algorithm} chosen in advance{f'; {gains[-1]}' if gains else ''}. It looks at n var(x) alone, "
        "not at σₑ². Its share and threshold are among the hyperparameters in the sidebar."
    )
