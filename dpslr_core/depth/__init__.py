"""The depth of a line among the records: scores of the lines of a public grid, and a search for those that matter.

``grid`` has the lines, ``scores`` their scores and bounds on those of blocks of lines, ``side_by_side`` those of
several data sets at once, ``search`` the refinement of blocks and draws from the exponential mechanism, ``cells`` the
cells in which a line may be deep. ``refinement`` is that of many data sets at once, ``frontiers`` and ``tiles`` are
what it leads to.
"""

from .cells import DeepCells, deep_cells, public_edges
from .grid import Blocks, Frontier, LineGrid
from .refinement import frontiers_of_all
from .scores import DepthScores
from .search import draw_lines, nearly_all_matter, refined, refined_of_all

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
    "refined_of_all",
]
