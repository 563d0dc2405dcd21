"""Builders and views for the sdf dialect."""

from ._sdf_ops_gen import *  # noqa: F403
