"""The lesson: seven steps for a class, with their settings, numbers, sentences and pictures.

>>> from dpslr_core.lesson import Lesson, step_table
>>> step_table(Lesson(step="leaves")).shape
(10, 4)
"""

from .settings import Lesson
from .steps import step_table

__all__ = ["Lesson", "step_table"]
