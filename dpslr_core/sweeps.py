"""Public names of ``experiments.sweep`` under their short address."""

from .experiments.sweep import *  # noqa: F403
from .experiments.sweep import __all__ as __all__
