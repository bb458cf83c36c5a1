"""Models of other programs as netlists: URDF and MJCF -> one neutral tree -> text; systems of FMUs (SSP) both ways."""

from .import_model import Imported as Imported
from .import_model import import_model as import_model
from .import_model import read_model as read_model
from .ssp_export import export_ssp as export_ssp
