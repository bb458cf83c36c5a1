"""Blocks of drives: motors, gears, brakes and clutches, by signals or by shafts."""
