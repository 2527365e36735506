"""The terminal's end of the command line: progress, tables and JSON; strangers' text is made visible first."""
