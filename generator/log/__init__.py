"""The transparency log: a Merkle tree in tiles, signed checkpoints and proofs, as bytes; nothing here opens a file.

`merkle` is the tree of RFC 6962; `tiles` lays it out as C2SP tlog-tiles, at `addresses`, with its leaves in `bundles`;
`keys` sign and `note` opens C2SP signed notes; `checkpoint` is what a log signs (C2SP tlog-checkpoint); `proof` is the
C2SP tlog-proof beside a page; `text` reads the numbers and the base64 of all of them.
"""
