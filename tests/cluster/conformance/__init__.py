"""The embedded cluster against a real one: requests with their answers, and end states."""
