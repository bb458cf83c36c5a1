"""Several runs side by side: each float of a function becomes a register of them, one for each lane.

Memory of floats becomes wider by as many lanes; integers, addresses and loops are those of the whole group. Where a
branch, an index or a choice of addresses would differ from lane to lane, the group parts at that place: the rest of the
function is done lane after lane, by a copy of it that works with floats on every n-th entry of the same memory and that
can begin at each such place. So every function works in lanes, whatever it decides; one that never parts works in all of
them at once. What is done to the numbers of a lane is the same in either way, bit for bit.

A function that writes integers, or calls others by their address, cannot go on so: integers are the group's. It marks
the group as left, in the word before the table of its first argument, and the caller's copy of the runs begins anew.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from .flow import CONSTANTS, FLOATS, WORDS, live_after, live_before, masks_of, pointer_kinds
from .text import ARITHMETIC, Block, Function, Instruction, NotKnown

VECTOR_CALLS = frozenset("fabs sqrt copysign floor ceil trunc rint minnum maxnum sin cos exp log pow".split())
WIDE = (FLOATS, WORDS)  # memory that has room for all lanes
IGNORED = ("@llvm.lifetime", "@llvm.assume", "@llvm.experimental.noalias")


def symbol_of(symbol: str, lanes: int) -> str:
    return f"{symbol}_lanes{lanes}"


def single_of(symbol: str, lanes: int) -> str:
    """The copy that works for one lane."""
    return f"{symbol}_lane_of{lanes}"


def in_lanes(function: Function, lanes: int, known: dict[str, str]) -> str:
    """The module's text: the function in lanes, and its copy for one lane; `known` are the kinds of some pointers."""
    floats = pointer_kinds(function, known)
    vector = _Vector(function, lanes, floats)
    body = vector.written()
    single = _Single(function, lanes, floats, vector.partings).written()
    called = {*vector.declared, *_declared_in(single)}
    made = {symbol_of(function.symbol, lanes), single_of(function.symbol, lanes)}
    declarations = sorted(line for line in called if not any(f"@{name}(" in line for name in made))
    return "\n".join([*function.constants, *declarations, body, single, "!0 = !{}", ""])


def _declared_in(text: str) -> set[str]:
    """Declarations of what a text calls by name."""
    found = set()
    for kind, name, arguments in re.findall(r"call (\S+) (@[\w.$]+)\(([^\n]*)\)$", text, re.MULTILINE):
        kinds = ", ".join(_kind_of(part) for part in _split(arguments))
        found.add(f"declare {kind} {name}({kinds})")
    return found


def _split(text: str) -> list[str]:
    found, depth, start = [], 0, 0
    for k, letter in enumerate(text):
        depth += (letter in "([{<") - (letter in ")]}>")
        if letter == "," and not depth:
            found.append(text[start:k].strip())
            start = k + 1
    return [*found, text[start:].strip()] if text.strip() else []


def _kind_of(argument: str) -> str:
    if argument.startswith("<"):
        return argument[: argument.index(">") + 1]
    return argument.split(" ")[0]


@dataclass
class Parting:
    """A place where lanes may differ: before an instruction of a block, with the values that are needed from there on."""

    number: int
    block: str
    index: int
    values: list[str]


def leaves(function: Function, floats: dict[str, str]) -> bool:
    """Whether nobody can go on for a single lane: integers are written, or code is called by its address."""
    bases = {one.result for block in function.blocks for one in block.instructions if one.op == "alloca"}
    for block in function.blocks:
        for one in block.instructions:
            if one.op == "store" and one.operands[0][0] != "double":
                pointer = one.operands[1][1]
                if pointer not in bases and floats.get(pointer) != WORDS:
                    return True
            if one.op == "call" and one.word.startswith("%"):
                return True
    return False


class _Vector:
    """The function with a register of lanes for each float."""

    def __init__(self, function: Function, lanes: int, floats: dict[str, str]):
        self.function, self.lanes, self.floats = function, lanes, floats
        self.masks = masks_of(function)
        self.after = live_after(function)
        self.wide, self.mask = f"<{lanes} x double>", f"<{lanes} x i1>"
        self.leaves = leaves(function, floats)
        self.lines: list[str] = []
        self.partings: list[Parting] = []
        self.declared: set[str] = set()
        self.ends: dict[str, str] = {}  # of each block, the label that its phis' readers come from
        self.spilled = 0
        self._fresh = 0
        self._splats: set[str] = set()

    def fresh(self) -> str:
        self._fresh += 1
        return f"%f{self._fresh}"

    def put(self, line: str) -> None:
        self.lines.append(f"  {line}")

    # --- values ---------------------------------------------------------------------------------------------------

    def of(self, kind: str, value: str) -> str:
        """A float or a truth for all lanes; the type is `wide` or `mask`."""
        if kind == "double":
            return value if value.startswith("%") else f"splat (double {value})"
        if value in self.masks:
            return value
        if value in ("true", "false"):
            return f"splat (i1 {value})"
        made = self.fresh()
        self.put(f"{made} = select i1 {value}, {self.mask} splat (i1 true), {self.mask} zeroinitializer")
        return made

    def splat(self, value: str, result: str) -> None:
        one = self.fresh()
        self.put(f"{one} = insertelement {self.wide} poison, double {value}, i64 0")
        self.put(
            f"{result} = shufflevector {self.wide} {one}, {self.wide} poison, <{self.lanes} x i32> zeroinitializer"
        )

    # --- parting ----------------------------------------------------------------------------------------------------

    def agreed(self, block: Block, index: int, mask: str) -> str:
        """A truth of which all lanes say the same; where they do not, the group parts."""
        bits, all_, none, same = self.fresh(), self.fresh(), self.fresh(), self.fresh()
        word = f"i{self.lanes}"
        self.put(f"{bits} = bitcast {self.mask} {mask} to {word}")
        self.put(f"{all_} = icmp eq {word} {bits}, -1")
        self.put(f"{none} = icmp eq {word} {bits}, 0")
        self.put(f"{same} = or i1 {all_}, {none}")
        self._part(block, index, same)
        return all_

    def agreed_word(self, block: Block, index: int, words: str) -> str:
        """The same of integers."""
        kind = f"<{self.lanes} x i64>"
        first, one, spread, equal, bits, same = (self.fresh() for _ in range(6))
        self.put(f"{first} = extractelement {kind} {words}, i64 0")
        self.put(f"{one} = insertelement {kind} poison, i64 {first}, i64 0")
        self.put(
            f"{spread} = shufflevector {kind} {one}, {kind} poison, <{self.lanes} x i32> zeroinitializer"
        )
        self.put(f"{equal} = icmp eq {kind} {words}, {spread}")
        self.put(f"{bits} = bitcast {self.mask} {equal} to i{self.lanes}")
        self.put(f"{same} = icmp eq i{self.lanes} {bits}, -1")
        self._part(block, index, same)
        return first

    def _part(self, block: Block, index: int, same: str) -> None:
        number = len(self.partings) + 1
        on, off = f"on{number}", f"part{number}"
        needed = live_before(block.instructions[index:], self.after[block.label])
        values = sorted(value for value in needed if value not in self.function.arguments)
        self.partings.append(Parting(number, block.label, index, values))
        self.put(f"br i1 {same}, label %{on}, label %{off}, !prof !1")
        self.lines.append(f"{off}:")
        if self.leaves:
            self._leave()
        else:
            self._hand_over(number, values)
        self.put("ret void")
        self.lines.append(f"{on}:")
        self.ends[block.label] = f"%{on}"

    def _leave(self) -> None:
        place, flag = self.fresh(), self.fresh()
        self.put(f"{place} = inttoptr i64 {self.function.arguments[0]} to ptr")
        self.put(f"{flag} = getelementptr i64, ptr {place}, i64 -1")
        self.put(f"store i64 1, ptr {flag}")

    def _hand_over(self, number: int, values: list[str]) -> None:
        """Values that are needed go to memory, and each lane from there on by itself."""
        self.spilled = max(self.spilled, len(values))
        for k, value in enumerate(values):
            place = self.fresh()
            self.put(f"{place} = getelementptr i8, ptr %spilled, i64 {8 * self.lanes * k}")
            kind = self.function.kinds[value]
            if value in self.masks:
                wide = self.fresh()
                self.put(f"{wide} = zext {self.mask} {value} to <{self.lanes} x i64>")
                self.put(f"store <{self.lanes} x i64> {wide}, ptr {place}, align 64")
            elif kind == "double":
                self.put(f"store {self.wide} {value}, ptr {place}, align 64")
            else:
                self.put(f"store {kind} {value}, ptr {place}")
        own = "".join(f", i64 {argument}" for argument in self.function.arguments)
        for lane in range(self.lanes):
            self.put(
                f"call void @{single_of(self.function.symbol, self.lanes)}(i64 {number}, i64 {lane}, ptr %spilled{own})"
            )

    # --- the whole -----------------------------------------------------------------------------------------------

    def written(self) -> str:
        for block in self.function.blocks:
            self.ends.setdefault(block.label, block.label)
        texts: list[tuple[Block, int]] = []
        for block in self.function.blocks:
            self.lines.append(f"{block.label[1:]}:")
            texts.append((block, len(self.lines)))
            for index, one in enumerate(block.instructions):
                self._rewrite(block, index, one)
        body = "\n".join(self.lines)
        body = re.sub(r"\{(%\w+)\}", lambda one: self.ends.get(one[1], one[1]), body)
        arguments = ", ".join(f"i64 {name}" for name in self.function.arguments)
        room = f"  %spilled = alloca [{8 * self.lanes * max(self.spilled, 1)} x i8], align 64\n"
        first = self.function.blocks[0].label[1:]
        body = body.replace(f"{first}:\n", f"{first}:\n{room}", 1)
        self.declared = _declared_in(body)
        head = f"define void @{symbol_of(self.function.symbol, self.lanes)}({arguments}) nounwind {{"
        return f"{head}\n{body}\n}}\n!1 = !{{!\"branch_weights\", i32 2000, i32 1}}"

    def _rewrite(self, block: Block, index: int, one: Instruction) -> None:
        writer: Callable[[Block, int, Instruction], None] | None = getattr(self, f"_{one.op}", None)
        if writer is None:
            writer = self._arithmetic if one.op in ARITHMETIC else self._same
        writer(block, index, one)

    def _same(self, block: Block, index: int, one: Instruction) -> None:
        """What is the group's stays as it is; what would make it of a lane's truth parts."""
        operands = []
        for kind, value in one.operands:
            if value in self.masks:
                value = self.agreed(block, index, value)
            elif kind == "double":
                raise NotKnown(one.op)
            operands.append((kind, value))
        self.put(plain(Instruction(**{**one.__dict__, "operands": operands})))

    def _arithmetic(self, block: Block, index: int, one: Instruction) -> None:
        values = ", ".join(self.of(*operand) for operand in one.operands)
        self.put(f"{one.result} = {one.op} {self.wide} {values}")

    def _fneg(self, block: Block, index: int, one: Instruction) -> None:
        self.put(f"{one.result} = fneg {self.wide} {self.of(*one.operands[0])}")

    def _fcmp(self, block: Block, index: int, one: Instruction) -> None:
        values = ", ".join(self.of(*operand) for operand in one.operands)
        self.put(f"{one.result} = fcmp {one.word} {self.wide} {values}")

    def _logic(self, block: Block, index: int, one: Instruction) -> None:
        if one.result not in self.masks:
            return self._same(block, index, one)
        values = ", ".join(self.of(*operand) for operand in one.operands)
        self.put(f"{one.result} = {one.op} {self.mask} {values}")

    _and = _or = _xor = _logic

    def _freeze(self, block: Block, index: int, one: Instruction) -> None:
        wide = self.wide if one.kind == "double" else self.mask if one.result in self.masks else one.kind
        self.put(f"{one.result} = freeze {wide} {one.operands[0][1]}")

    def _select(self, block: Block, index: int, one: Instruction) -> None:
        (_, condition), first, second = one.operands
        if one.kind != "double" and one.result not in self.masks:
            return self._same(block, index, one)
        wide = self.wide if one.kind == "double" else self.mask
        kind = self.mask if condition in self.masks else "i1"
        a, b = self.of(*first), self.of(*second)
        self.put(f"{one.result} = select {kind} {condition}, {wide} {a}, {wide} {b}")

    def _phi(self, block: Block, index: int, one: Instruction) -> None:
        kind = self.wide if one.kind == "double" else self.mask if one.result in self.masks else one.kind
        parts = []
        for (old, value), label in zip(one.operands, one.labels, strict=True):
            if kind != old and not value.startswith("%"):
                value = f"splat ({old} {value})"
            elif kind == self.mask and value not in self.masks:
                raise NotKnown("a truth of the group that becomes one of lanes")
            parts.append(f"[ {value}, {{{label}}} ]")
        self.put(f"{one.result} = phi {kind} {', '.join(parts)}")

    def _load(self, block: Block, index: int, one: Instruction) -> None:
        if one.kind == "double" and self._constant(one.operands[0][1]):
            made = self.fresh()
            self.put(f"{made} = load double, ptr {one.operands[0][1]}")
            self.splat(made, one.result)
        elif one.kind == "double":
            self.put(f"{one.result} = load {self.wide}, ptr {one.operands[0][1]}, align {8 * self.lanes}")
        elif self.floats.get(one.operands[0][1]) == WORDS:
            words = self.fresh()
            self.put(f"{words} = load <{self.lanes} x i64>, ptr {one.operands[0][1]}, align {8 * self.lanes}")
            self._word(block, index, one, words)
        else:
            self._same(block, index, one)

    def _constant(self, pointer: str) -> bool:
        return pointer.startswith("@") or self.floats.get(pointer) == CONSTANTS

    def _store(self, block: Block, index: int, one: Instruction) -> None:
        kind, value = one.operands[0]
        if kind == "double":
            self.put(
                f"store {self.wide} {self.of(kind, value)}, ptr {one.operands[1][1]}, align {8 * self.lanes}"
            )
        elif self.floats.get(one.operands[1][1]) == WORDS:
            if value in self.masks:
                raise NotKnown("a truth of lanes in memory")
            first, spread = self.fresh(), self.fresh()
            words = f"<{self.lanes} x i64>"
            self.put(f"{first} = insertelement {words} poison, i64 {value}, i64 0")
            self.put(f"{spread} = shufflevector {words} {first}, {words} poison, <{self.lanes} x i32> zeroinitializer")
            self.put(f"store {words} {spread}, ptr {one.operands[1][1]}, align {8 * self.lanes}")
        else:
            self._same(block, index, one)

    def _getelementptr(self, block: Block, index: int, one: Instruction) -> None:
        self.lines += [f"  {line}" for line in address_lines(one, self.floats, self.lanes, self.fresh)]

    def _alloca(self, block: Block, index: int, one: Instruction) -> None:
        self.put(f"{one.result} = alloca {one.word.replace('double', self.wide)}, align 64")

    def _sitofp(self, block: Block, index: int, one: Instruction) -> None:
        made = self.fresh()
        kind, value = one.operands[0]
        if value in self.masks:
            self.put(f"{one.result} = {one.op} {self.mask} {value} to {self.wide}")
            return
        self.put(f"{made} = {one.op} {kind} {value} to double")
        self.splat(made, one.result)

    _uitofp = _sitofp

    def _fptosi(self, block: Block, index: int, one: Instruction) -> None:
        words = self.fresh()
        self.put(f"{words} = {one.op} {self.wide} {self.of(*one.operands[0])} to <{self.lanes} x i64>")
        self._word(block, index, one, words)

    def _bitcast(self, block: Block, index: int, one: Instruction) -> None:
        if one.operands[0][0] != "double":
            if one.kind == "double":
                made = self.fresh()
                self.put(f"{made} = bitcast {one.operands[0][0]} {one.operands[0][1]} to double")
                return self.splat(made, one.result)
            return self._same(block, index, one)
        words = self.fresh()
        self.put(f"{words} = bitcast {self.wide} {self.of(*one.operands[0])} to <{self.lanes} x i64>")
        self._word(block, index, one, words)

    def _word(self, block: Block, index: int, one: Instruction, words: str) -> None:
        first = self.agreed_word(block, index, words)
        self.put(f"{one.result} = or i64 {first}, 0")

    def _br(self, block: Block, index: int, one: Instruction) -> None:
        self._same(block, index, one)

    def _call(self, block: Block, index: int, one: Instruction) -> None:
        if one.word.startswith(IGNORED):
            return
        if one.word.startswith("@llvm.mem"):
            self.lines += [f"  {line}" for line in memory_lines(one, self.floats, self.lanes, self.fresh)]
            return
        if one.kind != "double":
            word = one.word
            if word.startswith("@luff_"):
                word = f"@{symbol_of(word[1:], self.lanes)}"
            return self._same(block, index, Instruction(**{**one.__dict__, "word": word}))
        match = re.fullmatch(r"@llvm\.(\w+)\.f64", one.word)
        values = [self.of(*operand) for operand in one.operands]
        if match and match[1] in VECTOR_CALLS:
            given = ", ".join(f"{self.wide} {value}" for value in values)
            self.put(f"{one.result} = call {self.wide} @llvm.{match[1]}.v{self.lanes}f64({given})")
            return
        self._each(one, values)

    def _each(self, one: Instruction, values: list[str]) -> None:
        """A function of the C library, lane after lane."""
        whole = "poison"
        for lane in range(self.lanes):
            given = []
            for value in values:
                part = self.fresh()
                self.put(f"{part} = extractelement {self.wide} {value}, i64 {lane}")
                given.append(f"double {part}")
            answer = self.fresh()
            self.put(f"{answer} = call double {one.word}({', '.join(given)})")
            joined = one.result if lane == self.lanes - 1 else self.fresh()
            self.put(f"{joined} = insertelement {self.wide} {whole}, double {answer}, i64 {lane}")
            whole = joined


def address_lines(one: Instruction, floats: dict[str, str], times: int, fresh: Callable[[], str]) -> Iterable[str]:
    """An address in memory whose floats are so many times as wide."""
    (_, pointer), *indices = one.operands
    if floats.get(one.result, "") not in WIDE:
        return [plain(one)]
    flags = f"{one.flags} " if one.flags else ""
    index = indices[-1][1]
    if "double" in one.word and times > 0:
        size = {"double": 8}.get(one.word)
        if size is None and len(indices) == 1:
            size = 8 * int(re.findall(r"\d+", one.word)[0])
        size = size or 8
    elif one.word == "i64":
        size = 8
    elif one.word == "i8":
        size = 1
    else:
        raise NotKnown(f"addresses by {one.word}")
    if re.fullmatch(r"-?\d+", index):
        return [f"{one.result} = getelementptr {flags}i8, ptr {pointer}, i64 {int(index) * size * times}"]
    unit = "i8" if size * times == 1 else f"[{size * times} x i8]"
    return [f"{one.result} = getelementptr {flags}{unit}, ptr {pointer}, i64 {index}"]


def memory_lines(one: Instruction, floats: dict[str, str], times: int, fresh: Callable[[], str]) -> Iterable[str]:
    """A stretch of memory that is filled or moved."""
    pointers = [value for kind, value in one.operands if kind == "ptr"]
    if floats.get(pointers[0]) not in WIDE:
        return [plain(one)]
    size = one.operands[2][1]
    if re.fullmatch(r"\d+", size):
        lines, wide = [], str(int(size) * times)
    else:
        wide = fresh()
        lines = [f"{wide} = mul i64 {size}, {times}"]
    operands = [*one.operands[:2], ("i64", wide), *one.operands[3:]]
    return [*lines, plain(Instruction(**{**one.__dict__, "operands": operands}))]


def plain(one: Instruction) -> str:
    """An instruction as it stands."""
    head = f"{one.result} = " if one.result else ""
    flags = f"{one.flags} " if one.flags else ""
    values = [f"{kind} {value}" for kind, value in one.operands]
    if one.op in ("load",):
        kept = ", !invariant.load !0" if one.kept else ""
        return f"{head}load {one.kind}, {values[0]}{kept}"
    if one.op == "store":
        return f"store {values[0]}, {values[1]}"
    if one.op == "getelementptr":
        return f"{head}getelementptr {flags}{one.word}, {', '.join(values)}"
    if one.op in ("fcmp", "icmp"):
        return f"{head}{one.op} {flags}{one.word} {values[0]}, {one.operands[1][1]}"
    if one.op == "select":
        return f"{head}select {', '.join(values)}"
    if one.op == "br":
        labels = [f"label {label}" for label in one.labels]
        return "br " + ", ".join([*values, *labels])
    if one.op == "switch":
        cases = " ".join(
            f"i64 {case}, label {label}" for case, label in zip(one.cases, one.labels[1:], strict=True)
        )
        return f"switch {values[0]}, label {one.labels[0]} [ {cases} ]"
    if one.op == "alloca":
        return f"{head}alloca {one.word}, align 64"
    if one.op == "call":
        return f"{head}call {one.kind or 'void'} {one.word}({', '.join(values)})"
    if one.op in ("ret", "unreachable"):
        return "ret void" if one.op == "ret" else one.op
    if one.op in ("fneg", "freeze"):
        return f"{head}{one.op} {values[0]}"
    if len(one.operands) == 1:
        return f"{head}{one.op} {flags}{values[0]} to {one.kind}"
    return f"{head}{one.op} {flags}{values[0]}, {one.operands[1][1]}"


class _Single:
    """The same function for one lane: floats as they are, their memory every n-th entry. It begins at its start, or
    at any parting, with values that were left in memory. Values live in variables, which LLVM takes back to registers.
    """

    def __init__(self, function: Function, lanes: int, floats: dict[str, str], partings: list[Parting]):
        self.function, self.lanes, self.floats, self.partings = function, lanes, floats, partings
        self.masks = masks_of(function)
        self.lines: list[str] = []
        self._fresh = 0

    def fresh(self) -> str:
        self._fresh += 1
        return f"%f{self._fresh}"

    def put(self, line: str) -> None:
        self.lines.append(f"  {line}")

    def written(self) -> str:
        own = "".join(f", i64 {name}" for name in self.function.arguments)
        head = f"define void @{single_of(self.function.symbol, self.lanes)}(i64 %at, i64 %lane, ptr %spilled{own}) nounwind {{"
        if leaves(self.function, self.floats):
            place = f"%place = inttoptr i64 {self.function.arguments[0]} to ptr"
            flag = "%flag = getelementptr i64, ptr %place, i64 -1"
            return f"{head}\n  {place}\n  {flag}\n  store i64 1, ptr %flag\n  ret void\n}}"
        self.lines.append("begin:")
        self.put("%offset = shl i64 %lane, 3")
        arguments = set(self.function.arguments)
        for name, kind in self.function.kinds.items():
            if name not in arguments:
                self.put(f"{name}.a = alloca {kind}")
        for block in self.function.blocks:
            for one in block.instructions:
                if one.op == "alloca":
                    self.put(f"{one.result}.m = alloca [{self.lanes} x {one.word}], align 64")
        first = self.function.blocks[0].label
        cases = " ".join(f"i64 {one.number}, label %stub{one.number}" for one in self.partings)
        self.put(f"switch i64 %at, label {first} [ {cases} ]")
        for one in self.partings:
            self._stub(one)
        for block in self.function.blocks:
            self._block(block)
        return "\n".join([head, *self.lines, "}"])

    def _stub(self, parting: Parting) -> None:
        self.lines.append(f"stub{parting.number}:")
        for k, value in enumerate(parting.values):
            kind = self.function.kinds[value]
            place, here, read = self.fresh(), self.fresh(), self.fresh()
            self.put(f"{place} = getelementptr i8, ptr %spilled, i64 {8 * self.lanes * k}")
            if kind == "double" or value in self.masks:
                self.put(f"{here} = getelementptr i8, ptr {place}, i64 %offset")
            else:
                self.put(f"{here} = getelementptr i8, ptr {place}, i64 0")
            if value in self.masks:
                word = self.fresh()
                self.put(f"{word} = load i64, ptr {here}")
                self.put(f"{read} = trunc i64 {word} to i1")
            else:
                self.put(f"{read} = load {kind}, ptr {here}")
            self.put(f"store {kind} {read}, ptr {value}.a")
        self.put(f"br label %go{parting.number}")

    def _block(self, block: Block) -> None:
        here = {}
        for parting in self.partings:
            if parting.block == block.label:
                here.setdefault(parting.index, []).append(parting.number)
        self.lines.append(f"{block.label[1:]}:")
        for index, one in enumerate(block.instructions):
            for number in here.get(index, ()):
                self.put(f"br label %go{number}")
                self.lines.append(f"go{number}:")
            if one.op != "phi":
                self._one(block, one)

    def value(self, kind: str, value: str) -> str:
        if not value.startswith("%") or value in self.function.arguments:
            return value
        made = self.fresh()
        self.put(f"{made} = load {kind}, ptr {value}.a")
        return made

    def _one(self, block: Block, one: Instruction) -> None:
        if one.op == "call" and one.word.startswith(IGNORED):
            return
        if one.op in ("br", "switch"):
            return self._leave(block, one)
        operands = [(kind, self.value(kind, value)) for kind, value in one.operands]
        result = self.fresh() if one.result else ""
        made = Instruction(**{**one.__dict__, "operands": operands, "result": result})
        if one.op == "getelementptr" and self.floats.get(one.result) in WIDE:
            kinds = {result: FLOATS}
            self.lines += [f"  {line}" for line in address_lines(made, kinds, self.lanes, self.fresh)]
        elif one.op == "alloca":
            self.put(f"{result} = getelementptr i8, ptr {one.result}.m, i64 0")
        elif one.op in ("load", "store") and self.floats.get(one.operands[-1][1]) in WIDE:
            pointer = self.fresh()
            self.put(f"{pointer} = getelementptr i8, ptr {operands[-1][1]}, i64 %offset")
            operands[-1] = ("ptr", pointer)
            made.kept = False
            self.put(plain(made))
        elif one.op == "call" and one.word.startswith("@llvm.mem"):
            self._memory(one, made)
        elif one.op == "call" and one.word.startswith("@luff_"):
            own = "".join(f", {kind} {value}" for kind, value in operands)
            self.put(f"call void @{single_of(one.word[1:], self.lanes)}(i64 0, i64 %lane, ptr null{own})")
            return
        else:
            self.put(plain(made))
        if one.result:
            self.put(f"store {one.kind} {result}, ptr {one.result}.a")

    def _memory(self, one: Instruction, made: Instruction) -> None:
        """Floats are filled one by one: between them lie those of other lanes."""
        pointers = [value for kind, value in one.operands if kind == "ptr"]
        if self.floats.get(pointers[0]) not in WIDE:
            self.put(plain(made))
            return
        if one.operands[1] != ("i8", "0"):
            raise NotKnown("memory of floats that is moved")
        target, size = made.operands[0][1], made.operands[2][1]
        label = f"m{self._fresh}"
        count, k, on, more = (self.fresh() for _ in range(4))
        here, at, cell, slot = (self.fresh() for _ in range(4))
        self.put(f"{count} = lshr i64 {size}, 3")
        self.put(f"{slot} = alloca i64")
        self.put(f"store i64 0, ptr {slot}")
        self.put(f"br label %{label}.test")
        self.lines.append(f"{label}.test:")
        self.put(f"{k} = load i64, ptr {slot}")
        self.put(f"{more} = icmp ult i64 {k}, {count}")
        self.put(f"br i1 {more}, label %{label}.body, label %{label}.end")
        self.lines.append(f"{label}.body:")
        self.put(f"{here} = getelementptr [{8 * self.lanes} x i8], ptr {target}, i64 {k}")
        self.put(f"{at} = getelementptr i8, ptr {here}, i64 %offset")
        self.put(f"store double 0.0, ptr {at}")
        self.put(f"{on} = add i64 {k}, 1")
        self.put(f"store i64 {on}, ptr {slot}")
        self.put(f"br label %{label}.test")
        self.lines.append(f"{label}.end:")

    def _leave(self, block: Block, one: Instruction) -> None:
        """To the next block, over a place of its own where that one takes values that depend on the way."""
        block_of = {other.label: other for other in self.function.blocks}
        operands = [(kind, self.value(kind, value)) for kind, value in one.operands]
        labels, edges = [], []
        for label in one.labels:
            if block_of[label].phis:
                edge = f"%e{self.fresh()[1:]}"
                edges.append((edge, label))
                labels.append(edge)
            else:
                labels.append(label)
        self.put(plain(Instruction(**{**one.__dict__, "operands": operands, "labels": labels})))
        for edge, label in edges:
            self.lines.append(f"{edge[1:]}:")
            read = []
            for phi in block_of[label].phis:
                kind, value = phi.operands[phi.labels.index(block.label)]
                read.append((kind, self.value(kind, value), phi.result))
            for kind, value, name in read:
                self.put(f"store {kind} {value}, ptr {name}.a")
            self.put(f"br label {label}")
