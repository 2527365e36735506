"""One module a command, each readable as its sentence: the two ends are handed in, the stages are called in order."""
