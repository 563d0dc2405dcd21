"""The project's tests and the command that runs them all."""
