"""The tests of the Python client."""
