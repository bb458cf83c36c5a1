"""Signal blocks: sources, arithmetic, linear systems, sampled blocks, routing."""

from .continuous import Derivative as Derivative
from .continuous import Integrator as Integrator
from .continuous import StateSpace as StateSpace
from .continuous import TransferFunction as TransferFunction
from .discrete import Delay as Delay
from .discrete import RateLimit as RateLimit
from .discrete import ZeroOrderHold as ZeroOrderHold
from .expression import Expression as Expression
from .maths import DeadZone as DeadZone
from .maths import Gain as Gain
from .maths import Product as Product
from .maths import Saturation as Saturation
from .maths import Sum as Sum
from .maths import Switch as Switch
from .routing import Demux as Demux
from .routing import MakeTrajectory as MakeTrajectory
from .routing import Mux as Mux
from .routing import SplitTrajectory as SplitTrajectory
from .sources import Chirp as Chirp
from .sources import Constant as Constant
from .sources import Noise as Noise
from .sources import Pulse as Pulse
from .sources import Ramp as Ramp
from .sources import Sine as Sine
from .sources import Step as Step
from .table import Table as Table
