"""The dialects seen from Python."""
