"""Tests of the commands, each run as a user runs it: a process with arguments."""
