"""Environment of a machine: sea and wind.

A sea or a wind (`blocks/environment/sea_spectrum.py`, `wind.py`: the spectra) is a sum of harmonics whose numbers are
`derived`: `Hs` or `speed` may change within a run. `gust_coherence.py` shares them out among places. Values, rates and
accelerations leave one function, so that a deck that follows (`platform`: a joint whose coordinates are all
prescribed) feels no differences.
"""
