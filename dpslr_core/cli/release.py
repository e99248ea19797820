"""``dpslr plan``, ``release``, ``spent`` and ``verify``: a release that one may publish, and its certificate."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from statistics import median_low
from typing import Any

import click
import pandas as pd

from ..release import log as logs
from ..release import text
from ..release.certificate import sha256_of
from ..release.explored import expected_errors, rehearsal_records
from ..release.once import rehearse as rehearse_once
from ..release.once import release as release_once
from ..release.once import released_before
from ..release.plans import DEFINITIONS, LOOKED, UNITS, Plan, Promise, exact
from ..release.plans import plan as make_plan
from ..release.verification import Unverified
from ..release.verification import verify as verify_certificate
from ..report.certificate import as_page, text_in
from ..scenario import Scenario
from ..sources.axis import Axis, Rescaling
from ..sources.choices import Source, Synthetic, UploadedFile
from ..sources.files import read_file
from ..sources.numbers import read_number
from ..sources.public_areas import GUESSES, read_guesses, read_sizes
from ..sources.stored import write_whole
from ..support.readable import at_least, visible
from . import FINDING, inputs
from .inputs import EXISTING, NUMBER, OUT, Options
from .output import Output, progress

FORMS = (".json", ".html")
CERTIFICATE = "A certificate as .json, or as the page .html."
LOG = click.option(
    "--log",
    "folder",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="FOLDER",
    help=f"The spending log.  [default: {logs.FOLDER} beside DATA]",
)


@click.command()
@click.option(
    "--scenario",
    type=EXISTING,
    metavar="FILE.json",
    help="A scenario as the app saves it: budget, "
    "accounting, points, algorithms; of an uploaded file also its columns and bounds.",
)
@inputs.AXES
@inputs.field_option(UploadedFile, "x_numbers", "that of the scenario, or point")
@inputs.field_option(UploadedFile, "person_column")
@inputs.ALGORITHMS
@inputs.MODEL
@click.option(
    "--areas",
    type=EXISTING,
    metavar="FILE",
    help="Release a table: a public file with a row for each area.",
)
@inputs.field_option(
    UploadedFile,
    "group_column",
    help="The column of the areas' names, in the data and in --areas FILE.",
)
@inputs.SIZES
@click.option(
    "--smallest",
    type=int,
    metavar="N",
    help="Areas of fewer records, by --areas FILE, get no line.",
)
@click.option(
    "--unusable-as",
    type=NUMBER,
    nargs=2,
    metavar="X Y",
    help="Count a row without two numbers as this public x and y.  [default: refuse the file]",
)
@click.option("--bounds-from", metavar="TEXT", help="Where the bounds come from, without the data.")
@click.option(
    "--choice-from",
    metavar="TEXT",
    help="How algorithm, budget and points were chosen, without the data.",
)
@click.option(
    "--looked",
    multiple=True,
    type=click.Choice(("bounds", "choice")),
    help=f"Instead: mark these as {LOOKED}. It stands in the certificate; repeatable.",
)
@click.option(
    "--unit",
    default="person",
    show_default=True,
    help="Whom the promise protects: whose records they are.",
)
@click.option(
    "--level", type=NUMBER, default="0.95", show_default=True, help="The level of intervals."
)
@click.option(
    "--name", default="", metavar="TEXT", help="Name of the release, for its certificate."
)
@click.option("--out", type=OUT, required=True, metavar="PLAN.json", help="The plan.")
def plan(out: Path, **options: Any) -> None:
    """Plan a release: public settings alone, before anybody reads the data.

    What was chosen by looking at the data must be marked with --looked.
    """
    _check(out, FORMS[:1])
    for name in ("bounds", "choice"):
        if name not in options["looked"] and not options[f"{name}_from"]:
            raise ValueError(
                f"--{name}-from must say where this comes from without the data; where the data "
                f"were looked at, give --looked {name}"
            )
    scenario = (
        Scenario() if options["scenario"] is None else inputs.read_scenario(options["scenario"])
    )
    scenario = inputs.with_options(scenario, options)
    columns = _columns(scenario, options)
    if columns is not None and options["points"]:
        axis = Rescaling(Axis("x", "", *(columns.x_bounds or (0.0, 1.0))), columns.x_transform).axis
        points = inputs.points_of(options, columns.x_numbers or "point")
        scenario = scenario.model_copy(
            update={"at": tuple(float(point) for point in axis.to_unit(points))}
        )
    bounds, choice = (
        LOOKED if name in options["looked"] else options[f"{name}_from"]
        for name in ("bounds", "choice")
    )
    planned = make_plan(
        scenario,
        n=options["n"],
        areas=_areas(options),
        columns=columns,
        unit=options["unit"],
        level=options["level"],
        name=options["name"],
        bounds_from=bounds,
        choice_from=choice,
        smallest=options["smallest"],
        unusable_as=options["unusable_as"],
    )
    model = _model(planned, scenario.source, options)
    planned = planned.with_expected(expected_errors(planned, model))
    _write(planned.to_json(), out)
    about = (
        text.guarantee_sentence(planned),
        text.bounds_sentence(planned),
        text.numbers_sentence(planned),
    )
    sentences = [*about, *text.rules(planned), *text.looked_sentences(planned)]
    click.echo("\n".join([*sentences, f"Written to {out}. Its SHA-256 is {planned.sha256}."]))


@click.command()
@click.argument("plan", type=EXISTING)
@click.argument("data", type=EXISTING)
@click.option("--out", type=OUT, multiple=True, metavar="FILE", help=f"{CERTIFICATE} Repeatable.")
@LOG
@click.option(
    "--budget",
    metavar="AMOUNT",
    help="What all releases of this log may cost together, for the first of "
    "them.  [default: the promise of PLAN]",
)
def release(
    plan: Path, data: Path, out: tuple[Path, ...], folder: Path | None, budget: str | None
) -> None:
    """Release once what PLAN says from DATA, and write a certificate.

    The spending log lies beside DATA. It counts the release before it is drawn. A plan is released once: a second run
    says where its certificate is, whatever DATA hold now, and writes no --out. Any other plan costs, or is refused.
    """
    for file in out:
        _check(file)
    held = Plan.read(plan)
    log_folder = folder or logs.find_folder(data)
    allowed = None if budget is None else Promise(definition=held.promise.definition, amount=budget)

    def waiting() -> None:
        click.echo("Another release holds the log; waiting.", err=True)

    certified = released_before(held, log_folder, waiting)
    if certified is None:
        table = read_file(data)
        for problem in table.problems:
            if problem.severity == "warning" and not problem.doubtful:
                click.echo(f"Note: {visible(problem.message)}", err=True)
        with progress(unit="area", total=len(held.sizes)) as bar:
            certified = release_once(
                held, table, log_folder, allowed, waiting, lambda done: bar.update(done - bar.n)
            )
    for file in out:
        page = certified.text if file.suffix == ".json" else as_page(certified.text)
        if certified.earlier and not (file.is_file() and file.read_bytes() == page.encode()):
            raise ValueError(
                f"this plan was released before, and {str(file)!r} would look like a new release; "
                f"publish {certified.path}, or make another plan, which costs again"
            )
        _write(page, file)
    for note in certified.notes:
        click.echo(f"Note: {note}", err=True)
    earlier = ""
    if certified.earlier:
        earlier = (
            "This plan was released before, from what the file then held; nothing more is spent. "
            "What it holds now was not looked at.\n"
        )
    content = certified.content
    click.echo(
        f"{earlier}{content['guarantee']['sentence']}\n{content['composition']['sentence']}\n"
    )
    rows = [
        {"area": row["area"], **point} for row in content["results"] for point in row["predictions"]
    ]
    if rows:
        frame = pd.DataFrame(rows)
        Output(frame if held.areas else frame.drop(columns="area"), {}).deliver(None, False)
    for row in content["results"]:
        if row["remark"]:
            click.echo(visible(f"{row['area']}: {row['remark']}" if held.areas else row["remark"]))
    click.echo(
        f"\nThe certificate is {certified.path}. SHA-256 of its JSON: {sha256_of(certified.text)}. Publish "
        "both."
    )


@click.command()
@click.argument("plan", type=EXISTING)
@click.option(
    "--out",
    type=OUT,
    multiple=True,
    required=True,
    metavar="FILE",
    help=f"{CERTIFICATE} Repeatable.",
)
def rehearse(plan: Path, out: tuple[Path, ...]) -> None:
    """Rehearse PLAN on as many simulated records as it has, and write the certificate to expect.

    No data are read, and nothing is spent.
    """
    for file in out:
        _check(file)
    held = Plan.read(plan)
    source = held.expected.source if held.expected else Synthetic()
    certificate = rehearse_once(held, rehearsal_records(held, source))
    for file in out:
        _write(certificate if file.suffix == ".json" else as_page(certificate), file)
    click.echo(f"{text.REHEARSAL}\nWritten to {' and '.join(map(str, out))}.")


@click.command()
@click.argument("data", type=click.Path(exists=True, path_type=Path))
@LOG
@click.option(
    "--raise", "raised", metavar="AMOUNT", help="A new budget, in decimals; it can only be raised."
)
@click.option(
    "--definition",
    type=click.Choice(tuple(DEFINITIONS)),
    help="Of the new budget: in ε (pure) or ρ (zcdp).  [default: that of the budget before]",
)
@click.option("--name", metavar="TEXT", default="", help="Who raises the budget.")
@click.option("--reason", metavar="TEXT", default="", help="Why.")
@inputs.JSON
def spent(
    data: Path,
    folder: Path | None,
    raised: str | None,
    definition: Any,
    name: str,
    reason: str,
    as_json: bool,
) -> None:
    """Show what was spent on DATA, or raise its budget with a name and a reason."""
    log_folder = folder or logs.find_folder(data)
    if raised is not None:
        with logs.opened(log_folder) as log:
            before = log.budget
            kind = definition or (before.definition if before else "pure")
            log.set_budget(Promise(definition=kind, amount=raised), name, reason)
    log = logs.read_log(log_folder)
    rows = [
        {
            "number": entry.sequence,
            "time": entry.public["time"] if entry.kind in logs.TIMED else "",
            "entry": entry.kind,
            "what": _what(entry),
            "plan": str(entry.public.get("plan", ""))[:12],
        }
        for entry in log.entries
    ]
    sentence, summary = "Nothing was released.", {}
    if (budget := log.budget) is not None:
        unit, total = UNITS[budget.definition], log.spent(budget.definition)
        remaining = exact(budget.amount) - total
        begun = [e for e in log.of_kind("intended") if log.released(e) is None]
        sentence = f"{unit} = {logs.shown(total)} of {budget} is spent; {unit} = {at_least(remaining, 6)} is left."
        sentence += " One release or more did not finish; it counts." if begun else ""
        summary = {
            "budget": budget.model_dump(),
            "spent": str(total),
            "left": str(remaining),
            "unfinished": len(begun),
        }
    frame = pd.DataFrame(rows, columns=["number", "time", "entry", "what", "plan"])
    Output(frame, {"log": str(log_folder)}, "entries", summary=summary).deliver(
        None, as_json, f"{sentence}\n"
    )


def _what(entry: logs.Entry) -> str:
    """Describe an entry of the log in a few words."""
    public = entry.public
    if entry.kind == "budget":
        return f"{entry.promise}, by {visible(public['name'])}: {visible(public['reason'])}"
    if entry.kind == "intended":
        return str(entry.promise)
    return f"{'certificate' if entry.kind == 'released' else 'areas'} of entry {public['of']}"


@click.command()
@click.argument("certificate", type=EXISTING)
@click.option(
    "--log",
    "folder",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="FOLDER",
    help="Also look for the release in this spending log.",
)
def verify(certificate: Path, folder: Path | None) -> None:
    """Verify a CERTIFICATE: its digest, its guarantee and all its numbers, without the data.

    The exit code is 1 where it is refused, and where it is a rehearsal.
    """
    try:
        if certificate.suffix == ".html":
            verified = verify_certificate(
                text_in(certificate.read_bytes().decode(errors="replace")), folder
            )
        else:
            verified = verify_certificate(certificate, folder)
    except Unverified as refused:
        click.echo(visible(str(refused)))
        sys.exit(FINDING)
    click.echo("\n".join(map(visible, verified.said)))
    click.echo(visible(f"The promise of its plan: {text.guarantee_sentence(verified.plan)}"))
    click.echo(f"SHA-256 of its JSON: {verified.file_sha256}.")
    if verified.rehearsal:
        click.echo(text.REHEARSAL)
        sys.exit(FINDING)


def _columns(scenario: Scenario, options: Options) -> UploadedFile | None:
    """Columns that the options name, else the columns of the scenario, else None."""
    style, chosen = options["x_numbers"], inputs.given(UploadedFile, options)
    if "x_column" not in chosen and "y_column" not in chosen:
        source = scenario.source
        if not isinstance(source, UploadedFile):
            return None
        return (
            source
            if style is None
            else source.model_copy(update={"x_numbers": style, "y_numbers": style})
        )
    for axis in ("x", "y"):
        if f"{axis}_column" not in chosen or f"{axis}_bounds" not in chosen:
            raise ValueError(
                f"--{axis} COLUMN and --{axis}-bounds LO HI must both be given: public bounds"
            )
        chosen[f"{axis}_bounds"] = tuple(
            read_number(end, style or "point") for end in chosen[f"{axis}_bounds"]
        )
    return UploadedFile(**chosen, y_numbers=style)


def _areas(options: Options) -> dict[str, int] | None:
    """Areas and their numbers of records in the public file of --areas; None without one."""
    if options["areas"] is None:
        return None
    if options["group_column"] is None:
        raise ValueError("--group must be given with --areas: the column of the areas' names")
    sizes = read_sizes(
        read_file(options["areas"]),
        options["group_column"],
        options["sizes"],
        options["areas"].name,
    )
    return dict(zip(sizes["group"], sizes["n"].tolist(), strict=True))


def _model(planned: Plan, source: Source, options: Options) -> Synthetic:
    """Model of the records of expected errors; guesses that differ between areas stand at their median."""
    usual = source if isinstance(source, Synthetic) else Synthetic()
    model = usual.model_dump() | inputs.given(Synthetic, options) | {"n": usual.n}
    if options["areas"] is not None:
        common = {name: model[name] for name in GUESSES}
        table = read_file(options["areas"])
        for name, guess in read_guesses(table, planned.x.axis, planned.y.axis, common).items():
            model[name] = median_low(guess) if isinstance(guess, tuple) else guess
    return Synthetic(**model)


def _check(file: Path, forms: tuple[str, ...] = FORMS) -> None:
    """Raise ValueError if a file of these forms could not be written there."""
    if file.suffix not in forms:
        raise ValueError(f"--out must end in {' or '.join(forms)}, got {str(file)!r}")
    if not file.parent.is_dir() or not os.access(file.parent, os.W_OK | os.X_OK):
        raise ValueError(
            f"--out: the folder {str(file.parent)!r} is not there, or may not be written to"
        )


def _write(content: str, file: Path) -> None:
    """Write a file that replaces no file of another content: a plan and a certificate are kept as they are."""
    if file.exists():
        if file.is_file() and file.read_bytes() == content.encode():
            return
        raise ValueError(
            f"--out would replace {str(file)!r}, which holds something else: choose another name"
        )
    write_whole(content.encode(), file)
