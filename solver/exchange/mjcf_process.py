"""Compile one MJCF file with MuJoCo and print the compiled model as JSON; a program that runs in a process of its own.

It is started by path (`mjcf_files.compiled`), imports nothing of luff, and ends with one line on stdout:
`{"error": text}` or the tables of `described`.
"""

from __future__ import annotations

import contextlib
import json
import sys
from importlib import import_module
from typing import Any

MEMORY = 8 << 30  # bytes of address space
# tables of mjModel, as MuJoCo's reference names them
TABLES = [
    "body_parentid", "body_pos", "body_quat", "body_mass", "body_ipos", "body_iquat", "body_inertia",
    "body_mocapid", "body_gravcomp", "jnt_type", "jnt_bodyid", "jnt_pos", "jnt_axis", "jnt_range",
    "jnt_limited", "jnt_solref", "jnt_solimp", "jnt_stiffness", "jnt_stiffnesspoly", "jnt_qposadr", "jnt_dofadr",
    "jnt_actfrclimited",
    "jnt_actfrcrange", "qpos0", "qpos_spring", "dof_damping", "dof_dampingpoly", "dof_armature",
    "dof_frictionloss", "geom_type", "geom_bodyid", "geom_dataid", "geom_matid", "geom_group", "geom_size",
    "geom_pos", "geom_quat", "geom_rgba", "geom_contype", "geom_conaffinity",
    "geom_friction", "geom_condim", "geom_solref", "geom_solimp", "geom_solmix", "geom_priority", "mat_rgba",
    "mesh_pos",
    "mesh_quat", "mesh_scale", "mesh_pathadr", "site_bodyid", "site_pos", "site_quat", "eq_type",
    "eq_objtype", "eq_obj1id", "eq_obj2id", "eq_data", "eq_active0", "actuator_trntype", "actuator_trnid",
    "actuator_gear", "actuator_dyntype", "actuator_gaintype", "actuator_gainprm", "actuator_biastype",
    "actuator_biasprm", "actuator_ctrllimited", "actuator_ctrlrange", "actuator_forcelimited",
    "actuator_forcerange", "tendon_adr", "tendon_num", "tendon_stiffness", "tendon_damping", "tendon_frictionloss",
    "tendon_armature", "tendon_limited", "tendon_actfrclimited", "wrap_type", "wrap_objid", "wrap_prm",
    "hfield_size", "hfield_nrow", "hfield_ncol", "hfield_adr", "hfield_data",
]  # fmt: skip
KINDS = {  # lists of MjSpec whose elements have a name and a line, by what the netlist calls them
    "body": "bodies",
    "joint": "joints",
    "geom": "geoms",
    "equality": "equalities",
    "actuator": "actuators",
    "sensor": "sensors",
    "tendon": "tendons",
    "keyframe": "keys",
    "pair": "pairs",
    "exclude": "excludes",
    "flex": "flexes",
    "plugin": "plugins",
}


def described(path: str) -> dict[str, Any]:
    """Tables, names and lines of the compiled model; static bodies stay apart, textures and skins are not read."""
    mujoco: Any = import_module("mujoco")  # its names are not to be seen without running it

    spec = mujoco.MjSpec.from_file(path)
    spec.compiler.fusestatic = spec.compiler.discardvisual = False
    for material in spec.materials:
        material.textures = [""] * len(material.textures)
    for one in [*spec.textures, *spec.skins]:
        spec.delete(one)
    model = spec.compile()
    found: dict[str, Any] = {name: getattr(model, name).tolist() for name in TABLES if hasattr(model, name)}
    for kind, plural in KINDS.items():
        elements = sorted(getattr(spec, plural), key=lambda one: one.id)
        found[kind] = [[one.name, one.info] for one in elements]
    option = model.opt
    found |= {
        "model": spec.modelname,
        "gravity": option.gravity.tolist(),
        "weightless": bool(option.disableflags & mujoco.mjtDisableBit.mjDSBL_GRAVITY),
        "timestep": option.timestep,
        "refsafe": not option.disableflags & mujoco.mjtDisableBit.mjDSBL_REFSAFE,
        "fluid": {"density": option.density, "viscosity": option.viscosity, "wind": max(abs(option.wind))},
        "sensed": [one.objname for one in sorted(spec.sensors, key=lambda one: one.id)],
        "excluded": [[one.bodyname1, one.bodyname2] for one in spec.excludes],
        "refquat": [list(one.refquat) for one in spec.meshes],
        "refpos": [list(one.refpos) for one in spec.meshes],
        "paths": model.paths.decode(errors="replace"),
    }
    for kind in (
        "Geom",
        "Joint",
        "Eq",
        "Obj",
        "Trn",
        "Dyn",
        "Gain",
        "Bias",
        "Wrap",
    ):  # names of MuJoCo's enumerations
        values = getattr(mujoco, f"mjt{kind}").__members__
        found[f"mjt{kind}"] = {
            str(int(value)): name.rpartition("_")[2].lower() for name, value in values.items()
        }
    return found


def main() -> None:
    with contextlib.suppress(ImportError, ValueError, OSError):  # systems without such limits
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    try:
        answer = described(sys.argv[1])
    except Exception as error:  # every refusal of MuJoCo's is one of Python's, of several kinds
        answer = {"error": str(error) or type(error).__name__}
    print("\n" + json.dumps(answer))


if __name__ == "__main__":
    main()
