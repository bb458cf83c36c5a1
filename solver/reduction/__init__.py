"""`luff reduce`: meshes and frames of other programs to bodies that `flexible_body` reads."""

from .reduce import reduce as reduce
