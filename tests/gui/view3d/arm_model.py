"""An arm of two links, the second on a slide, which tests of the 3-D view show."""

ARM = """luff: 1
blocks:
  shoulder: {type: revolute, axis: y, initial: {position: -30 deg}}
  upper: {type: rigid_link, mass: 2 kg, com: [0.5, 0, 0], inertia: [0.01, 0.2, 0.2], frame_b: {at: [1, 0, 0]}}
  slide: {type: prismatic, axis: x, initial: {position: 0.25}}
  fore: {type: rigid_link, mass: 1 kg, com: [0.3, 0, 0], inertia: [0.01, 0.1, 0.1], frame_b: {at: [0.6, 0, 0]}}
connect:
  - world.frame -- shoulder.frame_a
  - shoulder.frame_b -- upper.frame_a
  - upper.frame_b -- slide.frame_a
  - slide.frame_b -- fore.frame_a
"""
