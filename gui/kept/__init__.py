"""What outlives a window: recent files, copies of unsaved work, locks.

In: `Document`. Out: files in the user's folders.
May import: rooms above it in ARCHITECTURE.md, which import-linter checks.
"""
