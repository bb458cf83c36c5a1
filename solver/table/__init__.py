"""Operations on one flat work space: places of scalars, calls of block functions, their order."""
