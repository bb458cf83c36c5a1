"""What runs with events tell of their error, and the error that they have.

python -m luff.bench.told
"""

from __future__ import annotations

import warnings

from luff.tests.systems.reported_error_cases import NAMES, told_and_true


def main() -> None:
    warnings.simplefilter("ignore")
    print("| model | estimated | true (RMS) | estimated / true |\n|---|---|---|---|")
    for name in NAMES:
        told, true = told_and_true(name)
        print(f"| {name} | {told:.1e} | {true:.1e} | {told / true:.2g} |")


if __name__ == "__main__":
    main()
