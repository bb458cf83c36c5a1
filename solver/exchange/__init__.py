"""Models of other programs as netlists: URDF and MJCF -> one neutral tree -> text; systems of FMUs (SSP) both ways."""

from .importing import Imported as Imported
from .importing import import_model as import_model
from .importing import read_model as read_model
from .ssp_writing import export_ssp as export_ssp
