"""The open KTIR compiler toolchain."""
