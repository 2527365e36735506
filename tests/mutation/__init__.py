"""Mutation tests of the method, on demand: `python -m tests.mutation.run`."""
