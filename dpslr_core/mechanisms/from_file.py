"""Algorithms from a file of the user, which is run as code: docs/add_an_algorithm.md."""

from __future__ import annotations

import copyreg
import inspect
import sys
from dataclasses import MISSING, astuple, fields
from functools import partial
from hashlib import sha256
from math import isclose
from pathlib import Path
from threading import Lock
from types import ModuleType
from typing import Any

from ..privacy import Budget, Guarantee, known_guarantee, losses
from ..support.run import QUARTERS
from .base import Mechanism

_LOADING = Lock()  # no thread sees a module that another is still running


def mechanisms_of_file(path: str) -> tuple[type[Mechanism], ...]:
    """List the mechanisms that a Python file defines, in its order; names with a leading underscore are left out.

    The file is run. ValueError names the file and the fault.
    """
    try:
        text = Path(path).read_text(encoding="utf-8")
        module = _module(text, path)
        public = [
            value
            for name, value in vars(module).items()
            if isinstance(value, type) and value.__name__ == name
        ]
        own = [
            defined
            for defined in public
            if defined.__module__ == module.__name__ and not defined.__name__.startswith("_")
        ]
        algorithms = [defined for defined in own if issubclass(defined, Mechanism)]
        if not algorithms:
            raise ValueError(
                "it defines no mechanism, a subclass of dpslr_core.mechanisms.Mechanism"
            )
        for algorithm in algorithms:
            _check(algorithm)
            copyreg.pickle(algorithm, partial(_reduced, text, path))
    except (Exception, SystemExit) as error:  # whatever the file raises
        kind = "" if type(error) is ValueError else f"{type(error).__name__}: "
        raise ValueError(f"mechanisms of {path} cannot be used: {kind}{error}") from error
    return tuple(algorithms)


def _module(text: str, path: str) -> ModuleType:
    """Run this text as a module that is named after its digest, once in a process, and return the module."""
    name = f"dpslr_mechanisms_{sha256(text.encode()).hexdigest()[:16]}"
    with _LOADING:
        if name not in sys.modules:
            module = sys.modules[name] = ModuleType(name)  # dataclasses look themselves up there
            module.__file__ = path
            try:
                exec(compile(text, path, "exec", dont_inherit=True), vars(module))
            except BaseException:
                del sys.modules[name]
                raise
        return sys.modules[name]


def _check(algorithm: type[Mechanism]) -> None:
    """Raise ValueError if a page or a table could not use the algorithm, or its methods contradict each other."""
    name = algorithm.__name__
    if inspect.isabstract(algorithm):
        raise ValueError(f"{name} must define {', '.join(sorted(algorithm.__abstractmethods__))}")
    if "__dataclass_params__" not in vars(algorithm):
        raise ValueError(f"{name} must be a dataclass: write @dataclass(frozen=True) above it")
    for f in fields(algorithm):
        if f.default is MISSING or "help" not in f.metadata:
            raise ValueError(
                f"{name}.{f.name} must be declared by hyperparameter(default, help=...)"
            )
    mechanism = algorithm()
    guarantee, spent = mechanism.guarantee(2.0), sum(row.share for row in mechanism.ledger(2.0))
    if not isinstance(guarantee, Guarantee):
        raise ValueError(
            f"{name}.guarantee(epsilon) must be a guarantee of dpslr_core.privacy, got "
            f"{guarantee!r}"
        )
    if guarantee.private and not isclose(spent, 2.0):
        raise ValueError(
            f"{name}.ledger(epsilon) must add up to epsilon, got {spent:g} for epsilon = 2"
        )
    drawn = known_guarantee(losses(mechanism.draws(2.0, len(QUARTERS))), guarantee)
    if guarantee.private and astuple(drawn)[0] > astuple(guarantee)[0] * (1 + 1e-9):
        raise ValueError(
            f"{name}.draws(epsilon) lose {drawn}, more than the guarantee, {guarantee}, for "
            "epsilon = 2"
        )
    alone = mechanism.first_point_alone(Budget(2.0, QUARTERS))
    # A ledger has equal shares of epsilon, also where the points share rho.
    of_point = 2.0 / len(QUARTERS) if mechanism.budget_split.separate else alone.epsilon
    rows = mechanism.ledger(of_point, alone.at)
    if mechanism.ledger(2.0, QUARTERS)[: len(rows)] != rows:
        raise ValueError(
            f"{name}.budget_split is {algorithm.budget_split.name}, which is not what its ledger "
            "shows"
        )


def _reduced(text: str, path: str, mechanism: Mechanism) -> tuple[Any, ...]:
    """Pickle a mechanism of a file together with the text of the file, as other processes cannot import its module."""
    values = {f.name: getattr(mechanism, f.name) for f in fields(mechanism)}
    return _rebuilt, (text, path, type(mechanism).__name__, values)


def _rebuilt(text: str, path: str, name: str, values: dict[str, Any]) -> Mechanism:
    """Unpickle a mechanism of a file: run the text of the file and call the class with the hyperparameters."""
    mechanism: Mechanism = getattr(_module(text, path), name)(**values)
    return mechanism
