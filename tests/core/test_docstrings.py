"""Docstrings can be read where a function is called: what a machine can hold of that."""

import ast
import inspect
import re
from importlib import import_module
from pathlib import Path

ROOT = Path(__file__).parents[2]
PRODUCT = ("dpslr_core", "ui", "pages", "serve", "benchmarks")
PUBLIC = ("", "mechanisms", "experiments", "guidance", "privacy", "laws", "release", "audit")
DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef)
PRONOUN = r"(It|Its|They|Those|These|That|This|One|Other|Some|Each|What|How|Where|Which)\b"
IN_PLACE_OF_A_NOUN = re.compile(r"\b(that of|those of|so many|where it is so|one of them)\b")


def test_a_docstring_begins_with_a_verb_or_a_noun_and_names_what_comes_back():
    unclear = []
    for path in (path for package in PRODUCT for path in (ROOT / package).rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            text = ast.get_docstring(node) if isinstance(node, DOCUMENTED) else None
            summary = (text or "").split("\n\n")[0]
            if re.match(PRONOUN, summary) or IN_PLACE_OF_A_NOUN.search(summary):
                unclear.append((str(path.relative_to(ROOT)), summary))
    assert not unclear


def test_a_public_function_documents_each_of_its_arguments():
    missing = []
    for part in PUBLIC:
        module = import_module(f"dpslr_core.{part}".rstrip("."))
        for name in module.__all__:
            function = getattr(module, name)
            if not inspect.isfunction(function):
                continue
            parameters, text = inspect.signature(function).parameters, inspect.getdoc(function)
            listed = "Parameters\n----------" in text or not parameters
            block = text.partition("Parameters\n----------")[2]
            names = set(
                re.findall(
                    r"\w+", " ".join(re.findall(r"^([*\w, ]+?)(?: :.*)?\n    ", block, re.M))
                )
            )
            if not listed or set(parameters) - names:
                missing.append((part, name, sorted(set(parameters) - names)))
    assert not missing
