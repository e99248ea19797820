"""The depth of a line among the records: scores of the lines of a public grid, and a search for those that matter.

``grid`` has the lines, ``scores`` their scores and bounds on those of blocks of lines, in several data sets at once,
``search`` the refinement of blocks, draws from the exponential mechanism and the cells in which a line may be deep,
``frontiers`` the refinement in many data sets at once.
"""

from .frontiers import frontiers_of_all
from .grid import Blocks, Frontier, LineGrid
from .scores import DepthScores
from .search import DeepCells, deep_cells, draw_lines, nearly_all_matter, public_edges, refined

__all__ = [
    "Blocks",
    "DeepCells",
    "DepthScores",
    "Frontier",
    "LineGrid",
    "deep_cells",
    "draw_lines",
    "frontiers_of_all",
    "nearly_all_matter",
    "public_edges",
    "refined",
]
