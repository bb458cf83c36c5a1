"""Evaluation of a compiled model at one state: rates, signals, derivatives, terms of the equations of motion."""

from __future__ import annotations

from collections.abc import Sequence
from threading import get_ident

import numpy as np

from ...blocks import RunError
from . import equations_of_motion
from .constraint_state import walk_anchor
from .inputs_outputs import Interface
from .instance import Instance


class Evaluation(Interface):
    """A model as a function of time and state; every thread evaluates in a work space of its own."""

    @property
    def instance(self) -> Instance:
        """Work space of single evaluations, one a thread; every run has its own."""
        # what `set` takes out of `__dict__` are those of all threads
        made: dict[int, Instance] = self.__dict__.setdefault("instance", {})
        own = made.get(get_ident())
        if own is None:
            with self.lock:
                made = self.__dict__.setdefault("instance", {})
                own = made[get_ident()] = Instance(self.program)
        return own

    def derivative(self, t: float, x: Sequence[float] | np.ndarray) -> np.ndarray:
        """State derivative dx/dt = f(t, x).

        Parameters
        ----------
        t : float
            Time [s].
        x : array_like
            State, in the order of `state_names` [SI].

        Returns
        -------
        ndarray
            The rate of each state [SI/s].

        Raises
        ------
        RunError
            `x` has another length than the state.
        """
        state = np.array(x, float)
        if state.shape != self.x0.shape:
            raise RunError(f"found {state.size} states, expected {self.x0.size}", path="derivative")
        walk_anchor(self.instance, float(t), state)
        return self.instance.rates(float(t), state)

    def jacobian(self, t: float = 0.0, x: Sequence[float] | np.ndarray | None = None) -> np.ndarray:
        """Exact Jacobian df/dx of the state derivative: a row for each rate, a column for each state.

        At a kink it is the derivative of one side. Where some code cannot be differentiated, it is made of finite
        differences, and a warning says so.

        Parameters
        ----------
        t : float, optional
            Time [s].
        x : array_like, optional
            State; the initial one by default.

        Returns
        -------
        ndarray
            Square matrix of the states' number.

        Raises
        ------
        RunError
            `x` has another length than the state.
        """
        from . import jacobian

        state = np.array(self.x0 if x is None else x, float)
        if state.shape != self.x0.shape:
            raise RunError(f"found {state.size} states, expected {self.x0.size}", path="jacobian")
        walk_anchor(self.instance, float(t), state)
        return jacobian.jacobian(self.instance, float(t), state)

    def evaluate(self, t: float = 0.0, x: Sequence[float] | np.ndarray | None = None) -> dict[str, float]:
        """All recorded signals at one state.

        Parameters
        ----------
        t : float, optional
            Time [s].
        x : array_like, optional
            State; the initial one by default.

        Returns
        -------
        dict of str to float
            Values by the names of `signal_names` [SI].

        Raises
        ------
        RunError
            `x` has another length than the state.
        """
        state = np.array(self.x0 if x is None else x, float)
        if state.shape != self.x0.shape:
            raise RunError(f"found {state.size} states, expected {self.x0.size}", path="evaluate")
        walk_anchor(self.instance, float(t), state)
        return dict(zip(self.signal_names, self.instance.outputs(float(t), state).tolist(), strict=True))

    @property
    def rate_names(self) -> list[str]:
        """Names of the rates of all free coordinates: the order of `mass_matrix`, `bias` and `constraint_jacobian`."""
        return [*equations_of_motion.free_coordinates(self.program)]

    @property
    def position_names(self) -> list[str]:
        """Names of the positions of all free coordinates: the order of q in `inverse_dynamics`."""
        return [*equations_of_motion.position_places(self.program)]

    def inverse_dynamics(
        self,
        q: Sequence[float] | np.ndarray,
        v: Sequence[float] | np.ndarray,
        a: Sequence[float] | np.ndarray,
        t: float = 0.0,
    ) -> np.ndarray:
        """Generalised forces M(q) a - h(q, v) for accelerations a, by recursive Newton-Euler.

        It is what drives, springs, dampers, friction, loads and constraint forces have to give together; none of these
        is subtracted. Loops are open: q need not close them, and with the rows of `constraint_jacobian` a loop's
        forces follow from it.

        Parameters
        ----------
        q : array_like
            Positions in the order of `position_names` [m, rad]; a free orientation is a quaternion w, x, y, z.
        v, a : array_like
            Rates and accelerations in the order of `rate_names` [m/s, rad/s; m/s^2, rad/s^2].
        t : float, optional
            Time [s], for motions that are prescribed.

        Returns
        -------
        ndarray
            Generalised forces in the order of `rate_names` [N, N m].

        Raises
        ------
        RunError
            A vector has another length.
        """
        return equations_of_motion.inverse_dynamics(self.instance, q, v, a, t)

    def mass_matrix(self, x: equations_of_motion.State = None, t: float = 0.0) -> np.ndarray:
        """Mass matrix M(q) of M(q) qdd = h(q, v) + Q, with the armatures of joints.

        Parameters
        ----------
        x : array_like, optional
            State; the initial one by default.
        t : float, optional
            Time [s].

        Returns
        -------
        ndarray
            Symmetric matrix in the order of `rate_names` [kg, kg m, kg m^2].
        """
        return equations_of_motion.mass_matrix(self.instance, x, t)

    def bias(self, x: equations_of_motion.State = None, t: float = 0.0) -> np.ndarray:
        """Bias forces h(q, v) of M(q) qdd = h(q, v) + Q: gravity, Coriolis and centrifugal terms.

        Springs, dampers, friction and drives are in Q. The accelerations of prescribed motions act in h.

        Parameters
        ----------
        x : array_like, optional
            State; the initial one by default.
        t : float, optional
            Time [s].

        Returns
        -------
        ndarray
            Generalised forces in the order of `rate_names` [N, N m].
        """
        return equations_of_motion.bias_forces(self.instance, x, t)

    def constraint_jacobian(self, x: equations_of_motion.State = None, t: float = 0.0) -> np.ndarray:
        """Jacobian Phi_q of all constraints that close loops or prescribe motions.

        Parameters
        ----------
        x : array_like, optional
            State; the initial one by default.
        t : float, optional
            Time [s].

        Returns
        -------
        ndarray
            A row for each constraint, a column for each rate of `rate_names`.
        """
        return equations_of_motion.constraint_jacobian(self.instance, x, t)

    def kinematics(self, x: equations_of_motion.State = None, t: float = 0.0) -> dict[str, np.ndarray]:
        """Poses of all frames in the world frame W.

        Parameters
        ----------
        x : array_like, optional
            State; the initial one by default.
        t : float, optional
            Time [s].

        Returns
        -------
        dict of str to ndarray
            By frame, `rod.frame_b`: the homogeneous transform [R_WF, p_WF; 0, 1], 4 x 4 [m].
        """
        return equations_of_motion.kinematics(self.instance, x, t)
