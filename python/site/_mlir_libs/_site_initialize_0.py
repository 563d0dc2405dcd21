"""Called by upstream's bindings once: registers the package's dialects and upstream's passes."""

from ._ktir import register_dialects, register_upstream_passes

__all__ = ["register_dialects"]

register_upstream_passes()
