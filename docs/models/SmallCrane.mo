model SmallCrane
  import Modelica.Mechanics.MultiBody.{World, Joints, Parts};
  import Modelica.Mechanics.Rotational.Components.SpringDamper;
  import Modelica.Units.Conversions.from_deg;
  parameter Modelica.Units.SI.Angle tilt = from_deg(40);
  inner World world(n = {0, 0, -1}, g = 9.81);
  Joints.Revolute slew(n = {0, 0, 1}, useAxisFlange = true,
    phi(start = 0, fixed = true), w(start = 0, fixed = true));
  SpringDamper slewDrive(c = 200e3, d = 200e3, phi_rel0 = from_deg(60));
  Parts.BodyShape column(m = 6e3, r = {0, 0, 3}, r_CM = {0, 0, 1.5}, I_11 = 9e3, I_22 = 9e3, I_33 = 4e3);
  Joints.Revolute luff(n = {0, -1, 0}, useAxisFlange = true,
    phi(start = tilt, fixed = true), w(start = 0, fixed = true));
  SpringDamper luffDrive(c = 20e6, d = 4e6, phi_rel0 = tilt);
  Parts.BodyShape boom(m = 1.5e3, r = {10, 0, 0}, r_CM = {5, 0, 0}, I_11 = 100, I_22 = 12.5e3, I_33 = 12.5e3);
  Joints.Universal sling(n_a = {0, 1, 0}, n_b = {1, 0, 0},
    phi_a(start = tilt, fixed = true), phi_b(start = 0, fixed = true),
    w_a(start = 0, fixed = true), w_b(start = 0, fixed = true));
  Parts.Body load(m = 1e3, r_CM = {0, 0, -6}, I_11 = 200, I_22 = 200, I_33 = 200);
equation
  connect(world.frame_b, slew.frame_a);
  connect(slew.frame_b, column.frame_a);
  connect(column.frame_b, luff.frame_a);
  connect(luff.frame_b, boom.frame_a);
  connect(boom.frame_b, sling.frame_a);
  connect(sling.frame_b, load.frame_a);
  connect(slewDrive.flange_a, slew.support);
  connect(slewDrive.flange_b, slew.axis);
  connect(luffDrive.flange_a, luff.support);
  connect(luffDrive.flange_b, luff.axis);
  annotation(experiment(StopTime = 10, Interval = 0.01));
end SmallCrane;
