"""Time integration: methods, one file a family (`method_table.py` lists them), the run loop, events, substeps."""
