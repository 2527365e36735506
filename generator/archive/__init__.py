"""The archive: what is kept, append-only. `store` is the only opener of archive/; `schema` and `codec` are pure."""
