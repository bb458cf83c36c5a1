"""Scalars of YAML 1.2's core schema, read and written. (YAML 1.1 takes `on` for true, `1:30` for ninety.)"""

from __future__ import annotations

import math
import re

from ...blocks.text.raw_types import Raw

NULLS = {"", "~", "null", "Null", "NULL"}
TRUES = {"true", "True", "TRUE"}
FALSES = {"false", "False", "FALSE"}
_INT = re.compile(r"[-+]?[0-9]+")
_OCTAL, _HEX = re.compile(r"0o[0-7]+"), re.compile(r"0x[0-9a-fA-F]+")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_INFINITE, _NAN = re.compile(r"[-+]?\.(?:inf|Inf|INF)"), re.compile(r"\.(?:nan|NaN|NAN)")
_MOST_DIGITS = 400  # a whole number beyond is no float either


def resolve(text: str) -> Raw:
    """The value of a plain (unquoted) scalar; ValueError for a number of absurd length."""
    if text in NULLS:
        return None
    if text in TRUES or text in FALSES:
        return text in TRUES
    if text[0] not in "+-.0123456789":
        return text
    if len(text) > _MOST_DIGITS and re.fullmatch(r"[-+]?[0-9a-fA-Fxo]+", text):
        raise ValueError(f"a number of {len(text)} digits")
    if _INT.fullmatch(text):
        return int(text)
    if _FLOAT.fullmatch(text):
        return float(text)
    if _OCTAL.fullmatch(text):
        return int(text[2:], 8)
    if _HEX.fullmatch(text):
        return int(text[2:], 16)
    if _INFINITE.fullmatch(text):
        return -math.inf if text[0] == "-" else math.inf
    return math.nan if _NAN.fullmatch(text) else text


# words and forms that other YAML readers take for something else than text
_ELSEWHERE = re.compile(
    r"(?i:y|n|yes|no|on|off|=|<<)|[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?|[-+]?0b[01_]+"
    r"|[-+]?[0-9][0-9_,.]*(?:[eE][-+]?[0-9]+)?|[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}.*"
)
_PLAIN_START = re.compile(r"[\w.=/+(<^~$;]|-(?=[^\s,\[\]{}])")
_FORBIDDEN = re.compile(r": | #|:$|^---|^\.\.\.|[\r\n\t]")
_BRACKETS = re.compile(r"[,\[\]{}]")


def is_plain(text: str, flow: bool) -> bool:
    """True if a text may be written without quotes and reads back as itself."""
    if not text or text != text.strip() or not text.isprintable() or "\ufeff" in text:
        return False
    if (
        not _PLAIN_START.match(text)
        or _FORBIDDEN.search(text)
        or (flow and (_BRACKETS.search(text) or ":" in text))
    ):
        return False
    if len(text) > _MOST_DIGITS or (_ELSEWHERE.fullmatch(text) and text not in ("y", "n")):
        return False
    return isinstance(resolve(text), str)


def number(value: float) -> str:
    """Shortest text that reads back as the same number, in any YAML."""
    if math.isnan(value):
        return ".nan"
    if math.isinf(value):
        return "-.inf" if value < 0 else ".inf"
    text = repr(value)
    mantissa, e, exponent = text.partition("e")
    # YAML 1.1 readers want a point in the mantissa and a sign in the exponent
    return text if not e or "." in mantissa else f"{mantissa}.0e{exponent}"


def scalar_text(raw: object, flow: bool = False, prefer: str = "") -> str:
    """Text of a scalar on one line; `prefer` is a quote sign to keep."""
    if raw is None:
        return "null"
    if isinstance(raw, bool):
        return "true" if raw else "false"
    if isinstance(raw, int):
        return str(raw)
    if isinstance(raw, float):
        return number(raw)
    if not isinstance(raw, str):
        raise TypeError(f"{type(raw).__name__} is no scalar")
    if not prefer and is_plain(raw, flow):
        return raw
    if prefer == "'" and raw.isprintable():
        return "'" + raw.replace("'", "''") + "'"
    return '"' + "".join(map(_escaped, raw)) + '"'


_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r", "\0": "\\0"}


def _escaped(sign: str) -> str:
    if sign in _ESCAPES:
        return _ESCAPES[sign]
    if sign == " " or (sign.isprintable() and sign != "\ufeff"):
        return sign
    code = ord(sign)
    return f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}" if code < 65536 else f"\\U{code:08x}"
