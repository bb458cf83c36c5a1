import simscape.Value simscape.op.* simscape.multibody.*

% a body's origin is its pin; the joint turns about z, so frames on both sides lay z along the world's y
rod = RigidBody;
inertia = MassDistribution(Value(2, "kg"), Value([0 0 -0.5], "m"), Value([0.2 0.2 0.01], "kg*m^2"));
rod.addComponent("Mass", "reference", Solid(Sphere, inertia));
rod.addFrame("Pin", "reference", RigidTransform(about_y()));
rod.addConnector("Pin");

pin = RevoluteJoint;
drive = TorsionalSpringDamper;
drive.DampingCoefficient = Value(0.2, "N*m*s/rad");
pin.Rz.ForceLaws = drive;

mb = Multibody;
mb.Gravity = Value([0 0 -9.81], "m/s^2");
mb.addComponent("World", WorldFrame);
mb.addComponent("Turned", RigidTransform(about_y()));
mb.addComponent("Pin", pin);
mb.addComponent("Rod", rod);
mb.connect("World/W", "Turned/B");
mb.connectVia("Pin", "Turned/F", "Rod/Pin");

op = OperatingPoint;
op("Pin/Rz/q") = Target(30, "deg", "High");
state = computeState(compile(mb), op);
makeBlockDiagram(mb, op, "pendulum");    % a Simulink model, which is what runs

function r = about_y()                   % z along y
    r = StandardAxisRotation(simscape.Value(-90, "deg"), simscape.multibody.Axis.PosX);
end
