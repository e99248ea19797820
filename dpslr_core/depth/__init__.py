"""Depth of a line among the records: scores of the lines of a public grid, and a search for the lines that matter.

``grid`` has the lines, ``scores`` scores of lines and bounds on the scores in blocks of lines, ``search`` the
refinement of blocks and draws from the exponential mechanism.
"""

from .grid import Blocks, LineGrid
from .scores import DepthScores
from .search import Frontier, draw_lines, frontier_of

__all__ = [
    "Blocks",
    "DepthScores",
    "Frontier",
    "LineGrid",
    "draw_lines",
    "frontier_of",
]
