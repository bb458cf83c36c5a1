"""Blocks that run a model of their own beside the simulated one: observers and predictive controllers.

`sampled_model.py` is the model from sample to sample with its derivatives. `observer_partner.py` is the partner of the
block `observer` (`blocks/foreign/observer.py`), with its filters over one `kalman_estimate.py` in `extended_kalman.py`
and `unscented_kalman.py`; `mpc_partner.py` that of `mpc` (`blocks/foreign/mpc.py`), with its quadratic programs in
`quadratic_program.py`.
"""
