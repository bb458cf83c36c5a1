"""The page of keys says what the menus do."""

from __future__ import annotations

from luff.docs.keys import PAGE, page


def test_page_is_that_of_the_menus() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "write it anew: python -m luff.docs.keys"
