"""Studies: one netlist in many variants, run side by side, and the tables and figures that compare them.

Studies keep each variant in a file of its own until the end, so that nothing is open while a process may be killed;
`cluster.py` hands the same orders to Dask, `tuning/engines.py` the runs of a search. A window's study runs in
`solver/study/told.py`, a process that exits when its standard input closes.
"""

from .outcome import Outcome as Outcome
from .report import report as report
from .requirements import PassRate as PassRate
from .requirements import verdicts as verdicts
from .running import study as study
from .spec import Study as Study
from .spec import load as load
from .store import StudyResult as StudyResult
from .store import read_study as read_study
