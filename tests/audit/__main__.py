"""``make audit``, or ``python -m tests.audit [NAME ...]``: print what every algorithm loses, beside what it promises.

One row for each algorithm, those of $DPSLR_MECHANISMS among them, and each part of its audit: comparisons, and the
worst loss over the promise. Of draws it is the logarithm of the chance of so large a deviation, over that of
1e-9. The exit code is 1 where a promise is broken. About ten minutes. Running time, the last bits of floating-point
numbers, other hyperparameters, and data that the plan does not hold are not compared.
"""

import sys

from dpslr_core.cli.output import progress

from . import releases, suite

names = set(sys.argv[1:])
promising = suite.promising()
mechanisms = [
    each for each in (*promising, *suite.variants()) if not names or type(each).__name__ in names
]
if unknown := names - {type(each).__name__ for each in mechanisms}:
    sys.exit(f"No algorithm that promises privacy: {', '.join(sorted(unknown))}.")
units = suite.work_units(mechanisms, suite.plan())
rows = suite.joined(
    progress(suite.audit_units(mechanisms, suite.AuditPlan(), units, -1), "parts", len(units))
)
try:
    rows += filter(None, (releases.release_row(each) for each in mechanisms if each in promising))
except ImportError as error:
    print(f"Not compared: real releases, as {error}.")
print(suite.table(rows).to_string(index=False, float_format=lambda value: f"{value:.6f}"))
if broken := dict.fromkeys(row.mechanism for row in rows if not row.holds):
    sys.exit(f"The promise is broken: {', '.join(broken)}.")
print("Nothing compared exceeds what is promised.")
