"""Assessments of cranes: load cases, checks, load charts and their report."""

from __future__ import annotations

from .assessment_file import Assessment as Assessment
from .assessment_file import load as load
from .assessment_run import Assessed as Assessed
from .assessment_run import assess as assess
from .assessment_run import judge_runs as judge_runs
from .chart_table import Chart as Chart
from .load_chart import chart as chart
from .tornado_bars import Tornado as Tornado
from .tornado_bars import tornado as tornado
