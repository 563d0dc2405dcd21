"""Tests of what users import: options, compiling, resuming, saving, errors."""
