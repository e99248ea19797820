"""The names of settings in links as the code of the pages has them, and values that no page expects."""

from __future__ import annotations

import ast
from pathlib import Path

ROOT = Path(__file__).parents[2]


def keys_in_code() -> set[str]:
    """The literal keys of widgets that are bound to the link, of its values, and of numbers that stand in it."""
    found = set()
    for path in (*(ROOT / "ui").rglob("*.py"), *(ROOT / "pages").glob("*.py")):
        for call in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            key = _key(call) if isinstance(call, ast.Call) else None
            if isinstance(key, ast.Constant):
                found.add(str(key.value))
    return found


def _key(call: ast.Call) -> ast.expr | None:
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
