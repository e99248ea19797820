"""The claims of every section, in the paper's order."""

from __future__ import annotations

from importlib import import_module

from .claim import Claim

# By name: a section needs almost every other part of the core, what shows its claims needs none of that.
NAMES = (
    "outline.introduction",
    "algorithms.statistics",
    "algorithms.theil_sen",
    "algorithms.smooth",
    "outline.data",
    "results.real_data",
    "results.takeover",
    "results.roles",
    "results.tuning",
    "results.non_robust",
    "appendix.tracts",
    "appendix.failures",
)
SECTIONS: tuple[tuple[Claim, ...], ...] = tuple(import_module(f".{name}", __package__).CLAIMS for name in NAMES)
CLAIMS = tuple(claim for section in SECTIONS for claim in section)
