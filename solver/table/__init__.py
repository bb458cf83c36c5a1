"""Operations on one flat work space: places of scalars, calls of block functions, their order.

In: what each block computes, needs and makes. Out: tables of calls and places.
May import: rooms above it in ARCHITECTURE.md, which import-linter checks.
"""
