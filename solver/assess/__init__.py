"""Assessments of cranes: load cases, checks, load charts and their report."""

from __future__ import annotations

from .assessed import Assessed as Assessed
from .assessed import assess as assess
from .assessed import judged as judged
from .chart import Chart as Chart
from .chart import chart as chart
from .spec import Assessment as Assessment
from .spec import load as load
