model Pendulum
  import Modelica.Mechanics.MultiBody.{World, Joints, Parts};
  import Modelica.Mechanics.Rotational.Components.Damper;
  import Modelica.Units.Conversions.from_deg;
  inner World world(n = {0, 0, -1}, g = 9.81);
  Joints.Revolute pin(n = {0, 1, 0}, useAxisFlange = true,
    phi(start = from_deg(30), fixed = true), w(start = 0, fixed = true));
  Damper damper(d = 0.2);
  Parts.Body rod(m = 2, r_CM = {0, 0, -0.5}, I_11 = 0.2, I_22 = 0.2, I_33 = 0.01);
equation
  connect(world.frame_b, pin.frame_a);
  connect(pin.frame_b, rod.frame_a);
  connect(damper.flange_a, pin.support);
  connect(damper.flange_b, pin.axis);
  annotation(experiment(StopTime = 5, Interval = 0.01));
end Pendulum;
