"""Copy of a function for one lane of a group: scalar floats, in memory where those of the lanes are interleaved."""

from __future__ import annotations

from .dataflow import lane_masks, leaves_group
from .entry_point_variants import single_lane_symbol
from .ir_parser import Block, Function, Instruction, UnknownInstruction
from .ir_writer import WIDE, Writer, address_line, instruction_text
from .pointer_kinds import FLOATS
from .vectorise import IGNORED, Divergence, mark_divergence


class ScalarLane(Writer):
    """Writer of the copy for one lane; it starts at the entry or at a divergence, with the live values in memory.

    Values live in stack variables, which LLVM promotes to registers.
    """

    def __init__(self, function: Function, lanes: int, kinds: dict[str, str], divergences: list[Divergence]):
        super().__init__()
        self.function, self.lanes, self.kinds, self.divergences = function, lanes, kinds, divergences
        self.masks = lane_masks(function)

    def written(self) -> str:
        """Text of the copy."""
        own = "".join(f", i64 {name}" for name in self.function.arguments)
        name = single_lane_symbol(self.function.symbol, self.lanes)
        head = f"define void @{name}(i64 %at, i64 %lane, ptr %spilled{own}) nounwind {{"
        if leaves_group(self.function, self.kinds):
            lines = [
                *(f"  {line}" for line in mark_divergence(self.function.arguments[0], self.fresh)),
                "  ret void",
            ]
            return "\n".join([head, *lines, "}"])
        self.lines.append("begin:")
        self.put("%offset = shl i64 %lane, 3")
        self.put("%counter = alloca i64")
        arguments = set(self.function.arguments)
        for name, kind in self.function.kinds.items():
            if name not in arguments:
                self.put(f"{name}.a = alloca {kind}")
        for block in self.function.blocks:
            for one in block.instructions:
                if one.op == "alloca":
                    self.put(f"{one.result}.m = alloca [{self.lanes} x {one.word}], align 64")
        first = self.function.blocks[0].label
        cases = " ".join(f"i64 {one.number}, label %stub{one.number}" for one in self.divergences)
        self.put(f"switch i64 %at, label {first} [ {cases} ]")
        for one in self.divergences:
            self._stub(one)
        for block in self.function.blocks:
            self._block(block)
        return "\n".join([head, *self.lines, "}"])

    def _stub(self, divergence: Divergence) -> None:
        """Entry at a divergence: load the spilled live values."""
        self.lines.append(f"stub{divergence.number}:")
        for k, value in enumerate(divergence.values):
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
        self.put(f"br label %go{divergence.number}")

    def _block(self, block: Block) -> None:
        """Write a block, with labels at its divergences."""
        here = {}
        for divergence in self.divergences:
            if divergence.block == block.label:
                here.setdefault(divergence.index, []).append(divergence.number)
        self.lines.append(f"{block.label[1:]}:")
        for index, one in enumerate(block.instructions):
            for number in here.get(index, ()):
                self.put(f"br label %go{number}")
                self.lines.append(f"go{number}:")
            if one.op != "phi":
                self._one(block, one)

    def value(self, kind: str, value: str) -> str:
        """Load an operand from its variable."""
        if not value.startswith("%") or value in self.function.arguments:
            return value
        made = self.fresh()
        self.put(f"{made} = load {kind}, ptr {value}.a")
        return made

    def _one(self, block: Block, one: Instruction) -> None:
        """Write one instruction."""
        if one.op in ("br", "switch"):
            self._leave(block, one)
        elif one.op == "call" and one.kind != "double" and one.word.startswith("@luff_"):
            own = "".join(f", {kind} {self.value(kind, value)}" for kind, value in one.operands)
            self.put(
                f"call void @{single_lane_symbol(one.word[1:], self.lanes)}(i64 0, i64 %lane, ptr null{own})"
            )
        elif one.op != "call" or not one.word.startswith(IGNORED):
            self._write_interleaved(one)

    def _write_interleaved(self, one: Instruction) -> None:
        """Write an instruction whose memory is interleaved."""
        operands = [(kind, self.value(kind, value)) for kind, value in one.operands]
        result = self.fresh() if one.result else ""
        made = one.with_fields(operands=operands, result=result)
        if one.op == "getelementptr" and self.kinds.get(one.result) in WIDE:
            kinds = {result: FLOATS}
            self.put(address_line(made, kinds, self.lanes))
        elif one.op == "alloca":
            self.put(f"{result} = getelementptr i8, ptr {one.result}.m, i64 0")
        elif one.op in ("load", "store") and self.kinds.get(one.operands[-1][1]) in WIDE:
            pointer = self.fresh()
            self.put(f"{pointer} = getelementptr i8, ptr {operands[-1][1]}, i64 %offset")
            operands[-1] = ("ptr", pointer)
            made.kept = False
            self.put(instruction_text(made))
        elif one.op == "call" and one.word.startswith("@llvm.mem"):
            self._memory(one, made)
        else:
            self.put(instruction_text(made))
        if one.result:
            self.put(f"store {one.kind} {result}, ptr {one.result}.a")

    def _memory(self, one: Instruction, made: Instruction) -> None:
        """memset of floats as a loop, as those of other lanes lie between."""
        pointers = [value for kind, value in one.operands if kind == "ptr"]
        if self.kinds.get(pointers[0]) not in WIDE:
            self.put(instruction_text(made))
            return
        if one.operands[1] != ("i8", "0"):
            raise UnknownInstruction("memory of floats that is moved")
        target, size = made.operands[0][1], made.operands[2][1]
        label = f"m{self._fresh}"
        count, k, on, more, here, at = (self.fresh() for _ in range(6))
        slot = "%counter"
        self.put(f"{count} = lshr i64 {size}, 3")
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
        """Terminator; over an edge block of its own where the successor has phis."""
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
        self.put(instruction_text(one.with_fields(operands=operands, labels=labels)))
        for edge, label in edges:
            self.lines.append(f"{edge[1:]}:")
            read = []
            for phi in block_of[label].phis:
                kind, value = phi.operands[phi.labels.index(block.label)]
                read.append((kind, self.value(kind, value), phi.result))
            for kind, value, name in read:
                self.put(f"store {kind} {value}, ptr {name}.a")
            self.put(f"br label {label}")
