"""Python scripts and commands that give the numbers that a page shows, to the last bit."""

from .commands import areas_command, compare_command, guidance_command, sweep_command
from .figures import figure_command, figure_script
from .moved import data_script, privacy_script
from .pages import areas_script, compare_script, guidance_script, sweep_script
from .stored import findings_script, lesson_script

__all__ = [
    "areas_command",
    "areas_script",
    "compare_command",
    "compare_script",
    "data_script",
    "figure_command",
    "figure_script",
    "findings_script",
    "guidance_command",
    "guidance_script",
    "lesson_script",
    "privacy_script",
    "sweep_command",
    "sweep_script",
]
