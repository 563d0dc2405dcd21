"""The commands: `ktir-opt` and `ktir`."""
