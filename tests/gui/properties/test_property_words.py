"""Words of the panel: every parameter and choice of every block has a label that an engineer reads."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import pytest
from PySide6.QtWidgets import QComboBox

from luff.blocks import Param, registered
from luff.blocks.params import Sub
from luff.gui.properties.property_rows import Row
from luff.gui.properties.property_words import SYMBOLS, choice_words, label_of
from luff.solver.diagram.run_settings import INITIAL, SIMULATION


def entries(
    params: Mapping[str, Param], keys: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], Param]]:
    for key, param in params.items():
        yield (*keys, key), param
        if isinstance(param, Sub):
            yield from entries(param.struct.params, (*keys, key))


def of_all_blocks() -> Iterator[tuple[tuple[str, ...], Param]]:
    for cls in registered().values():
        yield from entries(cls.params)


def test_labels_are_words_that_begin_with_a_capital() -> None:
    labels = [label_of(keys, param.unit) for keys, param in of_all_blocks()]
    for section in (SIMULATION, INITIAL):
        labels += [label_of(keys, param.unit, True) for keys, param in entries(section.struct.params)]
    assert len(labels) > 500
    greek = "αβγψθφ"
    wrong = {one for one in labels if "_" in one or not (one[0].isupper() or one in (*SYMBOLS, *greek))}
    assert not wrong


def test_one_block_has_no_two_parameters_of_one_label() -> None:
    for cls in registered().values():
        labels = [label_of((key,), param.unit) for key, param in cls.params.items()]
        assert len(set(labels)) == len(labels), cls.__name__


def test_choices_of_one_parameter_have_different_words() -> None:
    for keys, param in of_all_blocks():
        choices = list(getattr(param, "choices", ()))
        assert len({choice_words(keys[-1], choice) for choice in choices}) == len(choices), keys


@pytest.mark.parametrize("written", ["", "simulation: {events: locate}\n"])
def test_a_choice_in_words_is_written_as_the_netlist_has_it(make_window, written: str) -> None:
    window = make_window("luff: 1\nblocks: {u: {type: constant}}\n" + written)
    window.view.canvas.select([])
    row = next(row for row in window.properties.rows if row.keys == ("events",))
    assert isinstance(row, Row)
    assert row.label.text() == "Events"
    assert "in the netlist: events" in row.label.toolTip()
    box = row.editor.findChild(QComboBox)
    assert box is not None
    assert [box.itemText(k) for k in range(box.count())] == ["at whole steps", "within the step"]
    assert box.currentText() == ("within the step" if written else "at whole steps")
    other = 0 if written else 1
    box.setCurrentIndex(other)
    box.activated.emit(other)
    settings = window.document.diagram.data.get("simulation") or {}
    assert settings.get("events") == (None if written else "locate")
