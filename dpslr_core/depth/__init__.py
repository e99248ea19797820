"""The depth of a line among the records: scores of the lines of a public grid, and a search for those that matter.

``grid`` has the lines, ``scores`` their scores and bounds on those of blocks of lines, ``search`` the refinement of
blocks, draws from the exponential mechanism and the cells in which a line may be deep.
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
