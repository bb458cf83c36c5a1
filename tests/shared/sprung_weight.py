"""Weight at rest on a spring."""

SPRUNG_WEIGHT = """\
luff: 1
parameters: {m: 1 kg, k: 100 N/m}
blocks:
  slide: {type: prismatic, axis: z, stiffness: =k, damping: 1}
  body: {type: rigid_link, mass: =m}
connect: [world.frame -- slide.frame_a, slide.frame_b -- body.frame_a]
initial: {solve: static}
simulation: {stop: 10 ms, step: 1 ms}
"""
