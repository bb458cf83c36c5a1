"""`export_fmu`: a model as a file that any importer of the Functional Mock-up Interface runs, without Python.

Inside is what a run of luff is: the compiled entry points, and the numbers of a run that is about to begin.
"""

from __future__ import annotations

import tempfile
import warnings
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from ...blocks.errors import LuffError, ModelWarning, did_you_mean
from ...blocks.text.atomic_write import write_whole
from ..flatten.diagram import Diagram
from ..simulation.script_values import parameter_changes
from ..simulation.simulation import Simulation
from . import model_description as xml
from .exported_model import ExportedModel
from .fmu_diagram import picture
from .fmu_inputs import with_inputs
from .fmu_variables import Parameter
from .fmu_variables import parameters as parameters_of
from .toolchain import PLATFORMS, compiler, link, this_machine

RUNTIME = Path(__file__).with_name("runtime.c")
PICTURES = {2: "model.png", 3: "documentation/diagram.png"}
ALONE = (
    "the FMU offers co-simulation alone: constraints are projected after each step, which no importer that"
    " integrates does; constraints: {method: reduced} allows model exchange"
)
STAMP = (2020, 1, 1, 0, 0, 0)  # of the files inside: equal models make equal FMUs


def export_fmu(
    diagram: Diagram | str | Path,
    path: str | Path,
    fmi: int = 2,
    platforms: Sequence[str] = (),
    inputs: Sequence[str] = (),
    parameters: Sequence[str] = ("*",),
    derivatives: bool = False,
    *,
    set: Mapping[str, object] | None = None,
    **overrides: object,
) -> Path:
    """Write an FMU: co-simulation with the model's own method, and model exchange.

    Parameters
    ----------
    diagram : Diagram or str or Path
        A diagram or a netlist file.
    path : str or Path
        The .fmu file to write.
    fmi : int, optional
        Version of FMI: 2 or 3.
    platforms : sequence of str, optional
        Of linux64, win64, linux-aarch64, macos-arm64 and macos-x86_64; this machine's by default.
    inputs : sequence of str, optional
        Open inputs of blocks that become inputs (`luff.effort`).
    parameters : sequence of str, optional
        Globs of the parameters that an importer sees.
    derivatives : bool, optional
        Include code for exact directional derivatives.
    set : mapping of str to value, optional
        Values in place of the model's by path: `{"load": "4 t"}`. A name of the arguments above can be given only here.
    **overrides : object
        Parameters in place of the netlist's.

    Returns
    -------
    Path
        The file.

    Raises
    ------
    LuffError
        The model is wrong, a platform is unknown, or the compiler (extra `fmi`) is missing.

    Examples
    --------
    >>> import luff
    >>> luff.export_fmu("library/templates/pendulum.yaml", "pendulum.fmu", fmi=4)
    Traceback (most recent call last):
        ...
    luff.blocks.errors.LuffError: export: found FMI 4, expected 2 or 3
    >>> file = luff.export_fmu("library/templates/pendulum.yaml", "pendulum.fmu", fmi=3)  # doctest: +SKIP
    """
    path, overrides = Path(path), parameter_changes(set, overrides)
    if fmi not in (2, 3):
        raise LuffError(f"found FMI {fmi}, expected 2 or 3", path="export")
    wanted = list(platforms or [this_machine()])
    for name in wanted:
        if name not in PLATFORMS:
            fix = did_you_mean(name, PLATFORMS, listed=True)
            raise LuffError(f'there is no platform "{name}"', path="export", fix=fix)
        compiler(name)  # before minutes of work, not after them
    source = diagram if isinstance(diagram, Diagram) else Diagram.load(diagram)
    netlist = _with_changes(source, overrides, inputs)
    with with_inputs(source, inputs) as fed:
        wired = {one.block for one in fed}

        def choose(sim: Simulation) -> list[Parameter]:
            return parameters_of(sim, parameters, wired)

        model = ExportedModel(source, overrides, fed, choose)
        if not model.exchange:
            warnings.warn(ModelWarning(ALONE), stacklevel=2)
        with tempfile.TemporaryDirectory() as folder:
            write_whole(path, _packed(model, netlist, Path(folder), wanted, fmi, derivatives))
    return path


def _with_changes(source: Diagram, overrides: Mapping[str, object], inputs: Iterable[str]) -> str:
    """The netlist, and above it how the FMU differs from it."""
    changes = [f"--set {path}={' '.join(str(value).split())}" for path, value in overrides.items()]
    changes += [f"--input {name}" for name in inputs]
    return "".join(f"# exported with {change}\n" for change in changes) + source.to_yaml()


def _packed(
    model: ExportedModel, netlist: str, folder: Path, platforms: Iterable[str], fmi: int, derivatives: bool
) -> bytes:
    """Bytes of the FMU's archive."""
    from ...version import __version__

    code = model.bitcode()
    if derivatives:
        code |= model.derive()
    source, variables, token = model.sources(folder, RUNTIME, code)
    program, settings = model.program, model.settings
    about = xml.Description(
        program.flat.name or model.identifier, model.identifier, token, __version__,
        " ".join(program.flat.doc.split()), settings.stop,
        settings.output_step or settings.step, settings.step,
        program.updated, model.exchange, model.tangents is not None,
    )  # fmt: skip
    files = {"modelDescription.xml": xml.description(about, variables, fmi)}
    files["resources/netlist.yaml"] = netlist.encode()
    files[PICTURES[fmi]] = picture(model.diagram)
    for name in platforms:
        place = folder / name
        objects = model.objects(place, code, name)
        library = link(place, source, objects, name, model.identifier)
        files[f"binaries/{PLATFORMS[name].folder[fmi]}/{library.name}"] = library.read_bytes()
    return _zipped(files, folder / "model.zip")


def _zipped(files: dict[str, bytes], path: Path) -> bytes:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            entry = zipfile.ZipInfo(name, STAMP)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o755 << 16 if name.startswith("binaries/") else 0o644 << 16
            archive.writestr(entry, content)
    return path.read_bytes()
