"""The netlist's text: read with the place of every entry, patched so that an edit changes only its own lines."""

from .read_source import Given as Given
from .read_source import document_of as document_of
from .syntax_nodes import Document as Document
from .syntax_nodes import deep_copy as deep_copy
from .syntax_nodes import path_steps as path_steps
from .syntax_nodes import same_data as same_data
from .yaml_reader import read_netlist as read_netlist
from .yaml_reader import read_text as read_text
from .yaml_reader import read_value as read_value
from .yaml_reader import read_whole as read_whole
