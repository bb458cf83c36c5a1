"""From netlist to result: diagram, model, generated right-hand side, integrator, result."""
