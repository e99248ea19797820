"""Write the sample CSVs: ``python sample_data/make.py [folder]``. The same bytes every time."""

from __future__ import annotations

import csv
import sys
from pathlib import Path

import numpy as np

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))  # so that the script runs without installing the project

from dpslr_core.sources import simulate_linear  # noqa: E402

SEED = 20200711
MONTHS = (1, 3, 5, 7, 9, 11)
HOURS = (3, 8, 13, 18)


def write(path: Path, header: tuple[str, ...], rows: list[tuple[str, ...]]) -> None:
    """One CSV with Unix line ends on every platform."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(rows)


def linear(rng: np.random.Generator) -> list[tuple[str, ...]]:
    """250 homes: floor area 20 to 220 m², electricity 0 to 10,000 kWh a year."""
    x, y = simulate_linear(250, var_x=0.05, var_e=0.01, slope=0.5, intercept=0.15, rng=rng)
    return [(f"{20 + 200 * a:.1f}", f"{10_000 * b:.0f}") for a, b in zip(x, y, strict=True)]


def tracts(rng: np.random.Generator) -> list[tuple[str, ...]]:
    """40 tracts of 30 to 150 people: ranks in [0, 1], rounded up to two decimals."""
    rows: list[tuple[str, ...]] = []
    for number in range(1, 41):
        n = int(rng.integers(30, 151))
        var_x, var_e = rng.uniform(0.002, 0.05), rng.uniform(0.01, 0.05)
        slope, x_mean = rng.uniform(0.1, 0.5), rng.uniform(0.3, 0.7)
        x, y = simulate_linear(n, var_x, var_e, slope, 0.5 - slope / 2, x_mean, rng=rng)
        parents, children = (np.ceil(100 * ranks) / 100 for ranks in (x, y))
        rows += [
            (f"T{number:02d}", f"{p:.2f}", f"{c:.2f}")
            for p, c in zip(parents, children, strict=True)
        ]
    return rows


def bikes(rng: np.random.Generator) -> list[tuple[str, ...]]:
    """24 groups (month, hour) of 45 to 62 hours: rides grow with the temperature, less so in the heat."""
    rows: list[tuple[str, ...]] = []
    busy = {3: 0.02, 8: 0.45, 13: 0.35, 18: 0.7}
    for month in MONTHS:
        warm = 0.5 - 0.3 * np.cos(2 * np.pi * (month - 1) / 12)
        for hour in HOURS:
            n = int(rng.integers(45, 63))
            level = busy[hour]
            x, y = simulate_linear(n, 0.008, (0.35 * level) ** 2, level, 0.1 * level, warm, rng=rng)
            y = y * (1 - 2 * np.maximum(x - 0.8, 0))
            pairs = zip(-8 + 47 * x, 1000 * y, strict=True)
            rows += [
                (f"month {month}, hour {hour}", f"{t:.1f}", f"{rides:.0f}") for t, rides in pairs
            ]
    return rows


def main(folder: Path) -> None:
    """Write the three files; each has its own stream, so changing one leaves the others alone."""
    streams = [np.random.default_rng(seed) for seed in np.random.SeedSequence(SEED).spawn(3)]
    write(folder / "linear.csv", ("floor_area_m2", "electricity_kwh"), linear(streams[0]))
    write(folder / "tracts.csv", ("tract", "parent_rank", "child_rank"), tracts(streams[1]))
    write(folder / "bikes.csv", ("month_hour", "temperature_c", "rides"), bikes(streams[2]))


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else HERE)
