"""Panel class of each analysis by the key of its menu entry."""

from __future__ import annotations

from .analysis_panel import AnalysisPanel
from .assess_panel import AssessPanel
from .buckling_panel import BucklingPanel
from .linear_model_panel import LinearPanel
from .linear_panels import LocusPanel, MarginsPanel, ResponsePanel
from .load_chart_panel import LoadChartPanel
from .modes_panel import ModesPanel
from .plan_panel import PlanPanel
from .search_panels import FitPanel, OptimisePanel
from .sensitivity_panel import SensitivityPanel
from .static_panel import StaticPanel

PANELS: dict[str, type[AnalysisPanel]] = {
    "static": StaticPanel,
    "modes": ModesPanel,
    "linearise": LinearPanel,
    "response": ResponsePanel,
    "margins": MarginsPanel,
    "locus": LocusPanel,
    "sensitivity": SensitivityPanel,
    "buckling": BucklingPanel,
    "assess": AssessPanel,
    "load_chart": LoadChartPanel,
    "plan": PlanPanel,
    "fit_parameters": FitPanel,
    "optimise": OptimisePanel,
}
