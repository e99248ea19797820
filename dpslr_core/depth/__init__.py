"""The depth of a line among the records: scores of the lines of a public grid, and a search for those that matter.

``grid`` has the lines, ``scores`` their scores and bounds on those of blocks of lines, ``search`` the refinement of
blocks and draws from the exponential mechanism, ``cells`` the cells in which a line may be deep.
"""

from .cells import DeepCells, deep_cells, public_edges
from .grid import Blocks, LineGrid
from .scores import DepthScores
from .search import Frontier, draw_lines, refined, refined_of_all

__all__ = [
    "Blocks",
    "DeepCells",
    "DepthScores",
    "Frontier",
    "LineGrid",
    "deep_cells",
    "draw_lines",
    "public_edges",
    "refined",
    "refined_of_all",
]
