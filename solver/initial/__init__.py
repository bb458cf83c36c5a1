"""First state of a mechanism: loops assembled, static equilibrium if asked, independent coordinates chosen."""
