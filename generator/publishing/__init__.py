"""SITE -> OBJECT STORE: the laid-out site where a host serves it from, permanent objects written once."""
