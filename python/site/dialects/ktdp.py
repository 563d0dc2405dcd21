"""Builders and views for the ktdp dialect."""

from ._ktdp_ops_gen import *  # noqa: F403
