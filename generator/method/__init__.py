"""Observations to grades: the method. Pure: nights and a definition in, grades out."""
