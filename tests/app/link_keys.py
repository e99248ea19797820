"""Every parameter that a link can have, read off the code of the pages, and values that nobody expects."""

from __future__ import annotations

import ast
from dataclasses import fields
from pathlib import Path

from dpslr_core.experiments.ranges import RANGES
from dpslr_core.lesson import Lesson
from dpslr_core.mechanisms import algorithms
from dpslr_core.paper.figures import FIGURES
from ui.controls import SLIDERS, USUAL

ROOT = Path(__file__).parents[2]
SWEPT = [f"{name}_{word}" for name in RANGES for word in ("from", "to", "list")]
# Of keys that are no constants: the file, what stands there, and what it stands for.
HYPERPARAMETERS = [f"{algorithm.__name__}.{f.name}" for algorithm in algorithms() for f in fields(algorithm)]
COMPUTED = {
    ("ui/sidebar.py", "key"): [*HYPERPARAMETERS, "x_shape", "error_shape"],
    ("ui/compare.py", "RESIDUALS"): ["residuals"],
    ("ui/guidance.py", "key"): ["guesses", "guesses_public_data"],
    ("ui/sidebar.py", "ACCOUNTING"): ["accounting"],
    ("ui/sidebar.py", "CHOSEN"): ["algorithms"],
    ("ui/inputs.py", "LARGER_TEXT"): ["larger_text"],
    ("ui/inputs.py", "key"): [*SLIDERS, "epsilon"],  # those of linked_number are where it is called
    ("ui/lesson.py", "f.name"): [f.name for f in fields(Lesson)],
    ("ui/moved.py", "KEY"): ["record"],
    ("ui/moved.py", "f'{KEY}_x'"): ["record_x"],
    ("ui/moved.py", "f'{KEY}_y'"): ["record_y"],
    ("ui/paper/choice.py", "KEY"): ["figure"],
    ("ui/paper/choice.py", "f'{figure.name}.{parameter.name}'"): [
        f"{figure.name}.{parameter.name}" for figure in FIGURES for parameter in figure.parameters
    ],
    ("ui/sidebar.py", "source"): ["sample", "uci"],
    ("ui/sweep.py", "f'{parameter}_list'"): SWEPT,
    ("ui/sweep.py", "f'{parameter}_{word}'"): SWEPT,
}


def keys_in_code() -> set[str]:
    """The keys of all widgets that stand in the link, and of what the pages put there themselves.

    KeyError where one is computed and COMPUTED does not say of what.
    """
    found = {*HYPERPARAMETERS, *USUAL["upload"]}
    for path in (*(ROOT / "ui").rglob("*.py"), *(ROOT / "pages").glob("*.py")):
        for call in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            key = _key(call) if isinstance(call, ast.Call) else None
            if isinstance(key, ast.Constant):
                found.add(str(key.value))
            elif key is not None:
                found.update(COMPUTED[path.relative_to(ROOT).as_posix(), ast.unparse(key)])
    return found


def _key(call: ast.Call) -> ast.expr | None:
    """The key of a widget that is bound to the link, of a LinkValue, or of a number that stands in the link."""
    bound = any(word.arg is None and "BOUND" in ast.unparse(word.value) for word in call.keywords)
    if bound or ast.unparse(call.func) == "linked_number":
        return next((word.value for word in call.keywords if word.arg == "key"), None)
    return call.args[0] if ast.unparse(call.func) == "LinkValue" else None


HOST = "evil.example"
MARKUP = (
    f"<img src=x onerror=alert(1)><script>fetch('//{HOST}')</script>",
    f"![picture](http://{HOST}/a.png) [link](javascript:alert(1)) **evil**",
    rf"$\href{{http://{HOST}}}{{x}}$ $$\frac12$$ :red[evil] :material/home:",
)
HOSTILE: tuple[str | list[str], ...] = (
    "", "0", "-1", "nan", "inf", "1e400", "-1e308", "9" * 5_000, "0x10", "1_0", "true", "{}", "1, 2, " * 2_000,
    "a" * 20_000, "\x00\x1b[31m", "٣ ½ ² 😀 \u202eabc\u200b", ["1", "nan"], *MARKUP,
)  # fmt: skip
