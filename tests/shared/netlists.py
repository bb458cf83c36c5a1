"""Models that tests of more than one room use."""

from __future__ import annotations

import textwrap

SWINGING_ROD = """
luff: 1
name: swinging rod
simulation: {stop: 1, step: 1 ms, output_step: 10 ms}
blocks:
  pin: {type: revolute, axis: y, damping: 0.2, initial: {position: 0.5}}
  rod: {type: rigid_link, mass: 2, com: [0, 0, -0.5], inertia: [0.2, 0.2, 0.01]}
connect:
  - world.frame -- pin.frame_a
  - pin.frame_b -- rod.frame_a
"""

HELD_WAVE = """
luff: 1
name: held
simulation: {stop: 1, step: 1 ms}
blocks:
  wave: {type: sine, frequency: 3 rad/s, offset: 1}
  hold: {type: zero_order_hold, sample_time: 20 ms}
connect: [wave.y -> hold.u]
"""

# two boxes that meet, slide and come to rest; in 2 ms the slopes do not hold while corners meet
TOUCHING_BOXES = """
luff: 1
name: boxes
simulation: {method: implicit, step: 2 ms, stop: 400 ms, output_step: 10 ms}
blocks:
  low: {type: free, initial: {position: [0, 0, 0.1], velocity: [0.2, 0, 0]}}
  box: {type: rigid_link, mass: 2, inertia: [0.01, 0.01, 0.01], shape: {kind: box, size: [0.4, 0.4, 0.2], round: 0.01}}
  high: {type: free, initial: {position: [0.03, 0.02, 0.3002], velocity: [0.3, 0, -0.05]}}
  lid: {type: rigid_link, mass: 1, inertia: [4e-3, 4e-3, 4e-3], shape: {kind: box, size: [0.3, 0.2, 0.2], round: 0.01}}
  ground: {type: fixture, shape: {kind: plane}}
  floor: {type: touch, of: [box], against: [ground], law: {stiffness: 1e5, dissipation: 1}, friction: {mu: 0.5}}
  between: {type: touch, of: [lid], against: [box], law: {stiffness: 1e5, dissipation: 1}, friction: {mu: 0.3}}
connect:
  - world.frame -- low.frame_a
  - low.frame_b -- box.frame_a
  - world.frame -- high.frame_a
  - high.frame_b -- lid.frame_a
"""

COMMENTED_CRANE = """\
# a crane
luff: 1
name: crane
parameters: {l1: 6 m}     # lengths
blocks:
  slew: {type: revolute, axis: z}   # turns

  # the king
  king:
    type: rigid_link
    mass: 10 t         # heavy
    frames: {pin: {at: [0, 1, =l1]}}
  drive: {type: constant, value: 5 N*m, unit: N*m}
connect:
  - world.frame -- slew.frame_a   # to the ground
  - slew.frame_b -- king.frame_a
  - drive.y -> slew.effort
initial: {solve: static, hold: [slew]}
simulation: {constraints: {dependent: [slew.position]}}
record: ["slew.*", king.pin]
plots: [{title: Slew, y: [slew.position]}]
ports: {tip: king.frame_b}
layout: {king: [120, 40], wires: {slew.frame_b -- king.frame_a: [[1, 2], [3, 4]]}}
"""

URDF_ARM = """<?xml version="1.0"?>
<robot name="test arm">
  <material name="grey"><color rgba="0.5 0.5 0.5 1"/></material>
  <link name="base">
    <inertial><origin xyz="0.1 0 0.2"/><mass value="4"/>
      <inertia ixx="0.1" iyy="0.2" izz="0.15" ixy="0.01" ixz="0.02" iyz="-0.03"/></inertial>
    <visual><geometry><box size="1 1 1"/></geometry></visual>
  </link>
  <joint name="shoulder" type="revolute">
    <parent link="base"/><child link="upper-arm"/>
    <origin xyz="0 0.1 0.5" rpy="0.3 -0.4 1.5707963267948966"/>
    <axis xyz="1 2 -0.5"/>
    <limit lower="-2" upper="1.5" effort="50" velocity="3"/>
    <dynamics damping="0.4" friction="0.2"/>
  </joint>
  <link name="upper-arm">
    <inertial><origin xyz="0 0.02 0.3" rpy="0.5 0.2 -0.7"/><mass value="2"/>
      <inertia ixx="0.04" iyy="0.05" izz="0.02" ixy="0.002" ixz="0" iyz="0.001"/></inertial>
    <collision><geometry><sphere radius="1"/></geometry></collision>
  </link>
  <joint name="bracket_fix" type="fixed">
    <parent link="upper-arm"/><child link="bracket"/><origin xyz="0 0 0.6" rpy="0 1 0"/>
  </joint>
  <link name="bracket">
    <visual><origin xyz="0 0 1"/><geometry><cylinder radius="0.1" length="2"/></geometry>
      <material name="grey"/></visual>
    <visual><geometry><mesh filename="package://arm/bracket.stl"/></geometry></visual>
  </link>
  <joint name="slide" type="prismatic">
    <parent link="bracket"/><child link="slide"/><origin xyz="0.1 0 0"/><axis xyz="0 0 -1"/>
    <limit lower="0.1" upper="0.5" effort="1" velocity="0"/>
  </joint>
  <link name="slide">
    <inertial><mass value="1.5"/><inertia ixx="0.01" iyy="0.02" izz="0.02" ixy="0" ixz="0" iyz="0"/></inertial>
  </link>
  <joint name="camera_fix" type="fixed">
    <parent link="slide"/><child link="camera"/><origin xyz="0.05 0 0.1" rpy="0.2 0 0"/>
  </joint>
  <link name="camera">
    <inertial><mass value="0.3"/><inertia ixx="1e-3" iyy="1e-3" izz="1e-3" ixy="0" ixz="0" iyz="0"/></inertial>
  </link>
  <joint name="wrist" type="continuous">
    <parent link="camera"/><child link="hollow"/><origin xyz="0 0 0.2"/><axis xyz="0 1 0"/>
    <mimic joint="shoulder" multiplier="2"/>
  </joint>
  <link name="hollow"/>
  <joint name="roll" type="revolute">
    <parent link="hollow"/><child link="hand"/><origin xyz="0 0 0.1"/>
    <limit effort="3" velocity="1"/>
  </joint>
  <link name="hand">
    <inertial><origin xyz="0.02 0.03 0"/><mass value="0.8"/>
      <inertia ixx="2e-3" iyy="3e-3" izz="2e-3" ixy="0" ixz="0" iyz="0"/></inertial>
  </link>
  <joint name="tool_turn" type="revolute">
    <parent link="hand"/><child link="tool"/><origin xyz="0 0 0.1"/><axis xyz="0 0 1"/>
    <limit lower="-1" upper="1" effort="1" velocity="1"/>
  </joint>
  <link name="tool"/>
  <transmission name="drive"/>
</robot>
"""

SHAPED_PENDULUM = """\
luff: 1
blocks:
  pin: {type: revolute, axis: y, initial: {position: 60 deg}, damping: 0.14 N*m*s/rad}
  bob: {type: rigid_link, mass: 2 kg, com: [0, 0, -0.7]}
  e: {type: sine, amplitude: 0}
  command: {type: motion_law}
  shaper: {type: input_shaper, frequency: 1 Hz}
connect:
  - world.frame -- pin.frame_a
  - pin.frame_b -- bob.frame_a
  - e.y -> pin.effort
  - command.y -> shaper.u
simulation: {stop: 0.1 s, step: 1 ms}
"""

TWO_LINKS = textwrap.dedent(
    """\
    luff: 1
    name: arm            # two links
    parameters: {l1: 1 m}
    blocks:
      shoulder: {type: revolute, axis: y}   # the drive
      upper: {type: rigid_link, mass: 2 kg, frame_b: {at: [=l1, 0, 0]}}
      elbow:
        type: revolute
        axis: y
      fore: {type: rigid_link, mass: 1 kg}
      reference: {type: sine, unit: rad}
      controller: {type: pd, kp: 100}
    connect:
      - world.frame -- shoulder.frame_a
      - shoulder.frame_b -- upper.frame_a
      - upper.frame_b -- elbow.frame_a
      - elbow.frame_b -- fore.frame_a
      - reference.trajectory -> controller.target
      - shoulder.trajectory -> controller.measured
      - controller.effort -> shoulder.effort
    layout:
      world: [0, 200]
      shoulder: [200, 200]
      upper: [420, 200]
      elbow: [620, 200]
      fore: [840, 200]
      reference: [0, 380]
      controller: [200, 380]
    """
)

OSCILLATOR = """\
luff: 1
name: oscillator
parameters: {stiffness: 1 N/m, mass: 1 kg}
blocks:
  world: {gravity: [0, 0, 0]}
  slide: {type: prismatic, axis: x, stiffness: =stiffness, initial: {position: 1 m, velocity: 0}}
  body: {type: rigid_link, mass: =mass}
connect: [world.frame -- slide.frame_a, slide.frame_b -- body.frame_a]
simulation: {stop: 1 s, step: 10 ms}
"""

# two waves, held from step to step; `blocks` and `wires` are put in
HELD_WAVES = """luff: 1
blocks:
  s: {{type: sine, amplitude: 1, frequency: 1.3 Hz}}
  p: {{type: sine, amplitude: 1, frequency: 2.1 Hz, phase: 0.7}}
  a: {{type: zero_order_hold, sample_time: 10 ms}}
  b: {{type: zero_order_hold, sample_time: 10 ms}}
{blocks}
connect: [s.y -> a.u, p.y -> b.u, {wires}]
simulation: {{stop: {stop} s, step: 10 ms, output_step: 10 ms}}
"""
