"""Run mechanisms on given data and measure them: one data set (``comparison``) or thousands (``areas``)."""

from .areas import by_group, shares_below
from .comparison import SUMMARY_COLUMNS, Comparison, compare
from .errors import ErrorSummary, error_bound, error_bound_interval, measure, release_stream, summarise

__all__ = [
    "SUMMARY_COLUMNS",
    "Comparison",
    "ErrorSummary",
    "by_group",
    "compare",
    "error_bound",
    "error_bound_interval",
    "measure",
    "release_stream",
    "shares_below",
    "summarise",
]
