"""What surrounds a machine: the sea, and the wind."""

from .vessel_motion import VesselMotion as VesselMotion
from .waves import Waves as Waves
from .wind import Wind as Wind
from .wind_drag import WindDrag as WindDrag
