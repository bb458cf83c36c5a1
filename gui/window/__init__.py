"""The main window: its parts, menus and what they order.

In: documents and runs. Out: the user's session.
May import: all other folders of the window.
"""
