"""`export_library`: a model as a static library with one C header, for a controller or any program in C.

It allocates, prints and reads nothing, and starts no thread: the caller gives the memory. What it calls of a target's
own C library is found in the objects, and named in the header.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from ...blocks.errors import LuffError, did_you_mean
from ...blocks.text.atomic_write import write_whole
from ..codegen import cross_compile
from ..flatten.diagram import Diagram
from ..simulation.inputs_outputs import io_signals
from ..simulation.script_values import parameter_changes
from ..simulation.simulation import Simulation
from . import model_description as xml
from . import operation_counts
from .c_library_files import BESIDE, MARK, TARGETS, earlier_files, is_single_file, remove, symbol_prefix
from .exported_model import ExportedModel
from .fmu_inputs import with_inputs
from .fmu_variables import Parameter
from .fmu_variables import parameters as parameters_of
from .object_symbols import undefined_symbols
from .portable_code import Code
from .toolchain import archive, compile_c

SOURCE = Path(__file__).with_name("library.c")
INSTANCE = 640  # bytes of the instance's own, and what it takes to begin on cache lines


HERE = {"linux64": "linux-x86_64", "linux-aarch64": "linux-aarch64", "win64": "windows-x86_64"}


def export_library(
    diagram: Diagram | str | Path,
    path: str | Path,
    targets: Sequence[str] = (),
    inputs: Sequence[str] = (),
    parameters: Sequence[str] = ("*",),
    *,
    set: Mapping[str, object] | None = None,
    **overrides: object,
) -> list[Path]:
    """Write the model as a C library: a header, an example, a CMakeLists.txt and a library for each target.

    Files that an earlier export wrote to this path are replaced, and no others.

    Parameters
    ----------
    diagram : Diagram or str or Path
        A diagram or a netlist file.
    path : str or Path
        A folder; or a file .a or .lib: one library with its header beside it, for this machine or the one target.
    targets : sequence of str, optional
        Of linux-x86_64, linux-aarch64, linux-armv7, linux-riscv64, macos-arm64, macos-x86_64, windows-x86_64 and
        cortex-m7; all by default.
    inputs : sequence of str, optional
        Open inputs of blocks that become inputs (`luff.effort`).
    parameters : sequence of str, optional
        Globs of the parameters that may be set.
    set : mapping of str to value, optional
        Values in place of the model's by path: `{"load": "4 t"}`. A name of the arguments above can be given only here.
    **overrides : object
        Parameters in place of the netlist's.

    Returns
    -------
    list of Path
        The files.

    Raises
    ------
    LuffError
        The model is wrong, a target is unknown, or something else stands at the path.

    Examples
    --------
    >>> import luff
    >>> files = luff.export_library("library/templates/pendulum.yaml", "pendulum")  # doctest: +SKIP
    """
    path, overrides = Path(path), parameter_changes(set, overrides)
    alone, earlier = is_single_file(path), earlier_files(path)
    wanted = list(targets or ([_this_machine()] if alone else TARGETS))
    for name in wanted:
        if name not in TARGETS:
            fix = did_you_mean(name, TARGETS, listed=True)
            raise LuffError(f'there is no target "{name}"', path="export", fix=fix)
    if alone and len(wanted) > 1:
        mistake = f"found {len(wanted)} targets for one file"
        raise LuffError(mistake, path="export", fix="name a folder: -o crane --library")
    source = diagram if isinstance(diagram, Diagram) else Diagram.load(diagram)
    with with_inputs(source, inputs) as given:
        blocks = {one.block for one in given}

        def choose(sim: Simulation) -> list[Parameter]:
            return [one for one in parameters_of(sim, parameters, blocks) if one.reaches]

        library = Library(ExportedModel(source, overrides, given, choose), symbol_prefix(path))
        with tempfile.TemporaryDirectory() as folder:
            header, libraries = library.files(Path(folder), wanted)
    if alone:
        places = {path: next(iter(libraries.values())), path.with_suffix(".h"): header}
    else:
        places = {path / f"{library.name}.h": header}
        places |= {path / name: content for name, content in libraries.items()}
        places |= {path / name: content for name, content in library.example_files(wanted).items()}
    for place, content in places.items():
        place.parent.mkdir(parents=True, exist_ok=True)
        write_whole(place, content)
    remove(earlier - places.keys())
    return [*places]


def _this_machine() -> str:
    from .toolchain import this_machine

    return HERE[this_machine()]


class Library:
    """A model on its way to a library; `name` is in front of all that it defines."""

    def __init__(self, model: ExportedModel, name: str):
        self.model = model
        self.name = name
        self.signals = io_signals(model.program)

    def files(self, folder: Path, wanted: Sequence[str]) -> tuple[bytes, dict[str, bytes]]:
        """The header, and the library of each target by its place."""
        code = self.model.bitcode()
        source, _, _ = self.model.sources(folder, SOURCE, code, self._defined(code))
        libraries, missing = {}, {}
        for name in wanted:
            target = TARGETS[name]
            place = folder / name
            place.mkdir()
            objects = [compile_c(place, source, target.zig, target.flags, name)]
            for symbol, made in cross_compile.prefixed_symbols(code, target.machine, f"{self.name}_").items():
                objects.append(place / f"{symbol}.o")
                objects[-1].write_bytes(made)
            missing[name] = undefined_symbols([one.read_bytes() for one in objects])
            file = target.file.format(self.name)
            libraries[f"{name}/{file}"] = archive(
                place, objects, file, "darwin" if "macos" in name else "gnu"
            )
        return self.header(missing).encode(), libraries

    def _defined(self, code: Code) -> str:
        """C text before model.h: prefixed names, and the places of inputs and outputs."""
        names = sorted({*code, *(unit.symbol for unit in self.model.entry_points())})
        own = [f"#define {symbol} {self.name}_{symbol}" for symbol in names]
        variables = self.model.variables()
        kinds = [one.kind for one in variables]
        firsts = [kinds.index(kind) if kind in kinds else 0 for kind in (xml.INPUT, xml.PARAMETER)]
        places = ", ".join(map(str, self.signals.columns)) or "0"
        return "\n".join([
            *own, f"#define PREFIX {self.name}_", f"#define OUTPUTS {len(self.signals.columns)}",
            f"#define INPUTS {len(self.model.inputs)}", f"#define PARAMETERS {len(self.model.parameters)}",
            f"#define FIRST_INPUT {firsts[0]}", f"#define FIRST_PARAMETER {firsts[1]}",
            f"static const int outputs_at[] = {{{places}}};\n",
        ])  # fmt: skip

    # --- text ------------------------------------------------------------------------------------------------------

    def header(self, missing: Mapping[str, Sequence[str]]) -> str:
        """Text of the header: functions, names of inputs, outputs and parameters."""
        n, image, program, settings = self.name, self.model.image, self.model.program, self.model.settings
        outputs = [
            (name, self.signals.units[name] or _comment(self.model.counts(k)))
            for name, k in zip(self.signals.outputs, self.signals.columns, strict=True)
        ]
        bytes_ = 8 * (image.size + image.state) + INSTANCE + 8 * (len(outputs) + 1)
        calls = [f"   {name}: {', '.join(names) or 'nothing'}" for name, names in missing.items()]
        lines = [
            f"/* {_comment(program.flat.name or n)}: {MARK}.",
            "",
            f"   One step is {settings.step!r} s by the method {settings.method}. All numbers are SI. Nothing here",
            "   allocates, prints, reads, waits or starts a thread; two instances share nothing that changes.",
            "",
            "   Called of the C library, by target:",
            *calls,
            "",
            *(f"   {_comment(line)}" for line in operation_counts.described(self.model.sim)),
            "*/",
            f"#ifndef {n.upper()}_H\n#define {n.upper()}_H\n#include <stddef.h>\n",
            '#ifdef __cplusplus\nextern "C" {\n#endif\n',
            f"#define {n}_BYTES {bytes_} /* of an instance, wherever it begins */",
            f"#define {n}_STATE_BYTES {8 * image.state}",
            f"#define {n}_INPUTS {len(self.model.inputs)}",
            f"#define {n}_OUTPUTS {len(outputs)}",
            f"#define {n}_PARAMETERS {len(self.model.parameters)}\n",
            *self._names("in", [(one.name, one.unit) for one in self.model.inputs]),
            *self._names("out", outputs),
            *self._names("par", [(one.name, one.param.unit) for one in self.model.parameters]),
            f"typedef struct {n} {n};\n",
            "/* An instance at its start, in memory of the caller's; NULL if that is too small. */",
            f"{n} *{n}_init(void *memory, size_t bytes);",
            "/* These return 0, or what is not: then `text` says why, in one sentence. `outputs` may be NULL. */",
            f"int {n}_start({n} *, double *outputs); /* once, behind `set` and before the first step */",
            f"int {n}_step({n} *, const double *inputs, double *outputs); /* inputs that are NULL stay */",
            f"int {n}_set({n} *, int parameter, double value); /* before or between steps */",
            f"double {n}_get(const {n} *, int parameter);",
            f"double {n}_time(const {n} *);",
            f"const char *{n}_text(const {n} *);",
            "/* The state, of STATE_BYTES; `load` takes it in any instance of this library and target. */",
            f"void {n}_save(const {n} *, void *state);",
            f"void {n}_load({n} *, const void *state);\n",
            "#ifdef __cplusplus\n}\n#endif\n#endif",
        ]
        return "\n".join(lines) + "\n"

    def _names(self, kind: str, entries: Sequence[tuple[str, str]]) -> list[str]:
        if not entries:
            return []
        rows, taken = [], set()
        for k, (name, unit) in enumerate(entries):
            word = re.sub(r"\W+", "_", name, flags=re.ASCII).strip("_")
            while word in taken:
                word += "_"
            taken.add(word)
            rows.append(
                f"    {self.name}_{kind}_{word} = {k}, /* {_comment(name)}{f' [{unit}]' if unit else ''} */"
            )
        return ["enum {", *rows, "};\n"]

    def example_files(self, wanted: Sequence[str]) -> dict[str, bytes]:
        """An example, and how CMake builds it."""
        n, given = self.name, "inputs" if self.model.inputs else "NULL"
        example = f"""/* Runs {MARK}, for a thousand steps. */
#include "{n}.h"
#include <stdio.h>

static unsigned char memory[{n}_BYTES];

int main(void) {{
    double inputs[{n}_INPUTS + 1] = {{0}}, outputs[{n}_OUTPUTS + 1];
    {n} *model = {n}_init(memory, sizeof memory);
    int status = model ? {n}_start(model, outputs) : 1;
    for (int k = 0; k < 1000 && !status; k++) status = {n}_step(model, {given}, outputs);
    if (status) return fprintf(stderr, "%s\\n", model ? {n}_text(model) : "there is too little memory"), 1;
    printf("%.17g", {n}_time(model));
    for (int k = 0; k < {n}_OUTPUTS; k++) printf(" %.17g", outputs[k]);
    return printf("\\n"), 0;
}}
"""
        choice = "\n".join(
            f'set(LIBRARY_{name} "${{CMAKE_CURRENT_SOURCE_DIR}}/{name}/{TARGETS[name].file.format(n)}")'
            for name in wanted
        )
        cmake = f"""# Builds the example of {MARK}.
cmake_minimum_required(VERSION 3.13)
project({n}_example C)
set(TARGET {wanted[0]} CACHE STRING "one of: {" ".join(wanted)}")
{choice}
add_library({n} STATIC IMPORTED)
set_target_properties({n} PROPERTIES IMPORTED_LOCATION "${{LIBRARY_${{TARGET}}}}"
    INTERFACE_INCLUDE_DIRECTORIES "${{CMAKE_CURRENT_SOURCE_DIR}}")
add_executable(example example.c)
target_link_libraries(example {n} $<$<NOT:$<BOOL:${{WIN32}}>>:m>)
"""
        return {name: text.encode() for name, text in zip(BESIDE, (example, cmake), strict=True)}


def _comment(text: str) -> str:
    return " ".join(text.replace("*/", "* /").split())
