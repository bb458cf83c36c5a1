"""Models where no Python is: FMUs (Functional Mock-up Interface 2.0 and 3.0), static libraries, modules of WebAssembly.

FMUs hold an image of an `Instance` (`fmi/instance_image.py`), object code for their platform
(`codegen/cross_compile.py`) and `runtime.c` with events of model exchange (`ExportedModel.events`: switching functions,
jumps, samples), over `core.h`, which allocates nothing: `page.c` (WebAssembly, emitted by a process of its own:
`codegen/bitcode_emitter.py`) and `library.c` (controllers) stand on it too. Where addresses have 32 bits,
`codegen/wasm32.py` makes words of what passes between entry points; `bench/cortex_m7.c` starts such a library on a bare
board. What a page's slider does is found by compiling (`fmi/page_sliders.py`): it follows in a straight line, or a
start is computed for each of some values. `gui/html_page/worker.js` runs the model, `engine.js` knows its words. An FMU
that is exported with derivatives holds the same code as bitcode for the least processor has it
(`codegen/cross_compile.py`), and tables of addresses that lead to words with tangents (`fmi/tangent_tables.py`).
"""

from .c_library import export_library
from .fmu_export import export_fmu

__all__ = ["export_fmu", "export_library"]
