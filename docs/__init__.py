"""The documentation and the script that generates its reference pages."""
