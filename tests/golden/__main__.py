"""``.venv/bin/python -m tests.golden [PART ...]``: store anew what the software says today, and print what changed."""

from __future__ import annotations

import sys
from itertools import islice

from .parts import PARTS
from .stored import differences, read, write

MOST = 40  # differences of a part that are printed

chosen = sys.argv[1:] or list(PARTS)
if unknown := set(chosen) - set(PARTS):
    sys.exit(f"There is no part {', '.join(sorted(unknown))}: {', '.join(PARTS)}.")
for part in chosen:
    made = PARTS[part]()
    if not made:
        print(f"{part}: no data on this machine")
        continue
    changed = list(differences(read(part), made))
    if changed:  # else the file stays as it is, to the last digit
        write(part, made)
    print(f"{part}: {len(changed) or 'no'} differences", *islice(changed, MOST), sep="\n  ")
