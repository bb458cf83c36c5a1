"""The netlist's text: read with the place of every entry, patched so that an edit changes only its own lines."""

from .given import Given as Given
from .given import document_of as document_of
from .nodes import Document as Document
from .nodes import copied as copied
from .nodes import same as same
from .nodes import steps as steps
from .reader import read_netlist as read_netlist
from .reader import read_text as read_text
from .reader import read_value as read_value
from .reader import read_whole as read_whole
