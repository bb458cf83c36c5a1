"""Blocks of mechanisms: bodies, joints, supports, contact, constraints, ropes, sensors."""
