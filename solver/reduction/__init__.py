"""`luff reduce`: meshes and frames of other programs to bodies that `flexible_body` reads."""

from .member_forces import member_forces as member_forces
from .reduce import reduce as reduce
