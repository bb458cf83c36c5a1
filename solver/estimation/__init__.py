"""Blocks that run a model of their own beside the simulated one: observers.

`sampled_model.py` is the model from sample to sample with its derivatives, `extended_kalman.py` the filter's equations,
`observer_partner.py` the partner of the block `observer` (`blocks/foreign/observer.py`).
"""
