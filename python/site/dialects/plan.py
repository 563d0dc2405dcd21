"""Builders and views for the plan dialect."""

from ._plan_ops_gen import *  # noqa: F403
