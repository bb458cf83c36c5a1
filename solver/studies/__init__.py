"""Studies: one netlist in many variants, run side by side, and the tables and figures that compare them.

Studies keep each variant in a file of its own until the end, so that nothing is open while a process may be killed;
`dask_cluster.py` hands the same orders to Dask, `tuning/run_backends.py` the runs of a search. A window's study runs in
`solver/studies/json_protocol.py`, a process that exits when its standard input closes.
"""

from .requirements import PassRate as PassRate
from .requirements import verdicts as verdicts
from .study_file import Study as Study
from .study_file import load as load
from .study_report import report as report
from .study_run import study as study
from .study_store import StudyResult as StudyResult
from .study_store import read_study as read_study
from .variant_outcome import VariantOutcome as VariantOutcome
