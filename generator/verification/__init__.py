"""Recorded against recomputed: every mismatch between what is kept, what follows from it and what is laid out."""
