"""Grades to pages: permanent pages rendered once, views rendered each time."""
