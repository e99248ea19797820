"""``dpslr recommend``: which algorithm to use, and why."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import click

from ...guidance.recommendation import Recommendation
from ...report.pictures.drawing import Drawable
from ...text.guidance import advice
from ...text.guidance.evidence import evidence_sentence, looking_sentence
from ..ends import said
from ..given.guesses import guided
from ..options import ALGORITHMS, DATA, GUESSES, JSON, OWN_SEED, out_option, trials_option
from ..output import PICTURES, TABLES, Output, check_out

SHOWN = ("mechanism", "error", "monte_carlo_error", "behind", "guarantee")


@click.command()
@DATA
@GUESSES
@ALGORITHMS
@trials_option(50, "Trials, at most 50,")
@OWN_SEED
@out_option("the evidence as a table (.csv, .parquet, .json) or a picture (.svg, .png)")
@JSON
def recommend(file: Path | None, out: Path | None, as_json: bool, **options: Any) -> None:
    """Say which algorithm to use, from public guesses in the unit square alone, and why.

    With --scenario: the answer of the page Guidance. Where the scenario's data are public ones, the guesses are read
    off them; off an uploaded FILE with --look alone, because that choice is not private.
    """
    with said():
        check_out(out, (*TABLES, *PICTURES), file)
        answered = guided(file, options)
    r = answered.recommendation
    summary = {
        "algorithm": r.algorithm, "second": r.second, "margin": r.margin, "noise": r.noise, "too_close": r.too_close,
        "looked_at_data": answered.view is not None,
    }  # fmt: skip
    looked = [looking_sentence(True)] if answered.view is not None else []
    sentences = "\n\n".join([advice.answer(r), *looked, advice.agreement(r)])
    about = answered.about("expected errors on simulated data sets")
    output = Output(r.evidence, about, "evidence", SHOWN, summary, picture=partial(_picture, r))
    with said():
        output.deliver(out, as_json, f"{sentences}\n")


def _picture(recommendation: Recommendation) -> tuple[Drawable, str]:
    """The expected errors, and their sentence."""
    from ...report.pictures.evidence import evidence_picture  # its colours come with the app

    return evidence_picture(recommendation), evidence_sentence(recommendation)
