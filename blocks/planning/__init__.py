"""Planning blocks: motions, paths and shaped commands, all with exact rates."""

from .input_shaper import InputShaper as InputShaper
from .motion_law import MotionLaw as MotionLaw
from .path import Path as Path
from .sampled_command import SampledCommand as SampledCommand
from .stable_inversion import StableInversion as StableInversion
from .trajectory_limiter import TrajectoryLimiter as TrajectoryLimiter
