"""One script for each page: from what the page shows to Python that gives its numbers."""

from __future__ import annotations

from dataclasses import replace

from ...guidance.area_epsilons import sought_mechanisms
from ...scenario import Scenario
from ...text.sweep import SweepDescription
from ...text.view import View
from .literals import accounting_argument, budget_call, literal, mechanism_list, source_call
from .whole import WARNING, data_lines, grouped_line, value_axis, whole_script

WORKERS = "  # more, or -1 for all cores: the same numbers"
GUESSED = "# These guesses were read off the data, so that the answer is not private."


def compare_script(view: View[Scenario], at: float) -> str:
    """The ranking of the Compare page at one point, in the units of the view."""
    s = view.scenario
    axis = value_axis(view)
    imports = ["from dpslr_core import compare", "from dpslr_core.experiments.ranking import ranking"]
    imports += ["from dpslr_core.sources.axis import UNIT_Y"] if axis == "UNIT_Y" else []
    rule = accounting_argument(s.accounting)
    body = [
        *data_lines(view),
        f"mechanisms = {mechanism_list(s.admitted)}",
        f"epsilon, at = {literal(s.epsilon)}, {literal(s.at)}",
        f"comparison = compare(data, mechanisms, epsilon, at, trials={s.trials}, seed={s.seed}{rule})",
        f"table = ranking(comparison.summary, mechanisms, {literal(at)}, epsilon{rule})",
        'errors = ["c68", "c68_low", "c68_high", "c95", "gap", "noise", "standard_error", "bias"]',
        f"table[errors] *= {axis}.scale",
        WARNING,
        'shown = ["algorithm", "ratio", "c68", "c95", "noise", "gap", "failure_rate", "guarantee"]',
        "print(table[shown].to_string(index=False))",
    ]
    return whole_script("The ranking of the page Compare", imports, s, s.admitted, body)


def sweep_script(described: SweepDescription, view: View[Scenario], widths: int = 0) -> str:
    """The errors of the Sweep page, or the widths of intervals on so many data sets; x_new in the unit square."""
    base, loaded = described.base, described.data is not None
    run, swept = ("", "") if widths else (", Run", ", run_sweep")
    imports = [f"from dpslr_core.support.run import Budget{run}", f"from dpslr_core.sweeps import plan_sweep{swept}"]
    values = f"[{', '.join(map(literal, described.values))}]"
    body = [
        *(data_lines(view) if loaded else [f"model = {source_call(base.source)}.model"]),
        f"mechanisms = {mechanism_list(described.mechanisms)}",
        f"budget = {budget_call(base.budget)}",
        f"values = {values}",
        f"plan = plan_sweep({described.parameter!r}, values, {'data' if loaded else 'model'}, budget, mechanisms)",
        *(_of_widths(view, widths) if widths else _of_errors(described)),
        *([WARNING] if loaded else []),
        "print(table.to_string(index=False))",
    ]
    what = "widths" if widths else "errors"
    imports += ["from dpslr_core.experiments.sweep.widths import interval_widths"] if widths else []
    imports += ["from dpslr_core.sources.axis import UNIT_Y"] if any("UNIT_Y" in line for line in body) else []
    return whole_script(f"The {what} of the page Sweep", imports, base, described.mechanisms, body)


def _of_errors(described: SweepDescription) -> list[str]:
    return [
        f"run = Run(trials={described.trials}, seed={described.base.seed}, workers=1){WORKERS}",
        f"sweep = run_sweep(plan, run, datasets={described.datasets})",
        "table = sweep.frame",
    ]


def _of_widths(view: View[Scenario], datasets: int) -> list[str]:
    """Median widths of intervals, in the units of y."""
    made = f"table = interval_widths(plan, seed={view.scenario.seed}, datasets={datasets})"
    own = view.y.scale != 1
    return [made, *([f'table["width"] *= {value_axis(view)}.scale'] if own else [])]


def areas_script(view: View[Scenario], at: float, trials: int, flat_lines: bool = False) -> str:
    """The table of all areas of the Small areas page at one point, in the units of y.

    trials: in each area, for algorithms without an exact law. flat_lines: whether a line without slope passes too.
    """
    s = view.scenario
    sought = sought_mechanisms(s.compared, s.accounting)
    first = replace(s.budget, at=(at, *(point for point in s.at if point != at)))
    imports = [
        "from dpslr_core import by_group",
        "from dpslr_core.experiments.areas import split_groups",
        "from dpslr_core.guidance.area_epsilons import best_with_epsilons, passing_epsilons",
        "from dpslr_core.support.run import Budget",
    ]
    axis = value_axis(view)
    imports += ["from dpslr_core.sources.axis import UNIT_Y"] if axis == "UNIT_Y" else []
    rule, flat = accounting_argument(s.accounting), ", flat_lines=True" if flat_lines else ""
    body = [
        grouped_line(view),
        f"mechanisms = {mechanism_list(sought)}",
        f"measured = by_group(grouped.frame, mechanisms, {literal(s.epsilon)}, {literal(s.at)}, trials={trials}, "
        f"seed={s.seed}, workers=1{rule}){WORKERS}",
        f"epsilons = passing_epsilons(split_groups(grouped.frame).datasets, mechanisms, {budget_call(first)})",
        f'here = measured[measured["at"] == {literal(at)}]',
        f"table = best_with_epsilons(here, epsilons, {literal(s.epsilon)}{flat})",
        f'table["c68"] *= {axis}.scale',
        WARNING,
        'shown = ["group", "n", "mechanism", "c68", "ratio", "passes", "passes_from", "passes_with"]',
        "print(table[shown].to_string(index=False))",
    ]
    return whole_script("The areas of the page Small areas", imports, s, sought, body)


def guidance_script(scenario: Scenario, weaker: bool, looked: bool) -> str:
    """The answer of the Guidance page. scenario: with the guesses as its model. looked: whether data were looked at."""
    s = scenario
    imports = [
        "from dpslr_core.guidance.answer import recommendations, sized_question",
        "from dpslr_core.scenario import Scenario",
    ]
    points = f"    epsilon={literal(s.epsilon)}, at={literal(s.at)}, trials={s.trials}, seed={s.seed}"
    body = [
        *([GUESSED] if looked else []),
        f"mechanisms = {mechanism_list(s.admitted)}",
        "scenario = Scenario(",
        f"    source={source_call(s.source)}, mechanisms=tuple(mechanisms),",
        f"{points}{accounting_argument(s.accounting)},",
        ")",
        f"question = sized_question(scenario, weaker={weaker})",
        "*_, recommendation = recommendations(question, question.measured, question.noise)",
        "table = recommendation.evidence",
        "print(recommendation.algorithm, recommendation.noise)",
        "print(table.to_string(index=False))",
    ]
    return whole_script("The answer of the page Guidance", imports, s, s.admitted, body)
