import simscape.Value simscape.op.* simscape.multibody.*
tilt = 40;                               % degrees

% each body has a frame for the joint towards the world, and one for the next joint
column = body(6e3, [0 0 1.5], [9e3 9e3 4e3]);
column.addFrame("Luff", "reference", at([0 0 3], 90, Axis.PosX));      % z along -y
column.addConnector("Luff");
boom = body(1.5e3, [5 0 0], [100 12.5e3 12.5e3]);
boom.addFrame("Luff", "reference", at([0 0 0], 90, Axis.PosX));
boom.addFrame("Sling", "reference", at([10 0 0], 90, Axis.PosZ));      % x along y, y along -x
boom.addConnector("Luff");
boom.addConnector("Sling");
load = body(1e3, [0 0 -6], [200 200 200]);
load.addFrame("Sling", "reference", at([0 0 0], 90, Axis.PosZ));
load.addConnector("Sling");
column.addConnector("reference");

mb = Multibody;
mb.Gravity = Value([0 0 -9.81], "m/s^2");
mb.addComponent("World", WorldFrame);
mb.addComponent("Column", column);
mb.addComponent("Boom", boom);
mb.addComponent("Load", load);
mb.addComponent("Slew", driven(60, 200e3, 200e3));
mb.addComponent("Luff", driven(tilt, 20e6, 4e6));
mb.addComponent("Sling", UniversalJoint);
mb.connectVia("Slew", "World/W", "Column/reference");
mb.connectVia("Luff", "Column/Luff", "Boom/Luff");
mb.connectVia("Sling", "Boom/Sling", "Load/Sling");

op = OperatingPoint;
op("Slew/Rz/q") = Target(0, "deg", "High");
op("Luff/Rz/q") = Target(tilt, "deg", "High");
op("Sling/Rx/q") = Target(tilt, "deg", "High");
op("Sling/Ry/q") = Target(0, "deg", "High");
makeBlockDiagram(mb, op, "small_crane");

function b = body(mass, com, moments)
    import simscape.Value simscape.multibody.*
    b = RigidBody;
    inertia = MassDistribution(Value(mass, "kg"), Value(com, "m"), Value(moments, "kg*m^2"));
    b.addComponent("Mass", "reference", Solid(Sphere, inertia));
end

function t = at(place, angle, axis)
    import simscape.Value simscape.multibody.*
    t = RigidTransform(StandardAxisRotation(Value(angle, "deg"), axis), CartesianTranslation(Value(place, "m")));
end

function j = driven(rest, stiffness, damping)
    import simscape.Value simscape.multibody.*
    law = TorsionalSpringDamper;
    law.EquilibriumPosition = Value(rest, "deg");
    law.SpringStiffness = Value(stiffness, "N*m/rad");
    law.DampingCoefficient = Value(damping, "N*m*s/rad");
    j = RevoluteJoint;
    j.Rz.ForceLaws = law;
end
