"""The nouns: frozen values, valid once made, that the stages hand to one another.

What is handled one by one is a record; observations in bulk stay columnar, in Arrow tables whose columns
`archive/schema.py` names.
"""
