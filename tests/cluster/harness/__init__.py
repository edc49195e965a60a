"""A real Kubernetes, workloads on it and the operator under test, as Python objects.

It shares no code with the operator: what these tests see is what any other client sees.
"""
