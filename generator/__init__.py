"""bitdepth: honest, permanent, checkable grades for LLM inference endpoints.

Each arrow of the flow is a folder; stages meet only in `records`, and each data folder at the top has exactly one
module that touches it::

    router -> observations -> archive -> grades -> archive -> pages -> verification
           probing/          archive/   method/   archive/   site/    verification/

    log/          the transparency log of what is archived: tree, tiles, signed notes, proofs; pure
    stores/       buckets and durable files, for archive and publishing: access, lease, addresses, credentials
    starter/      what a new site root is made of
    cluster/      months and years spread over workers
    publishing/   the laid-out site to where it is served: an object store or a folder
    cli.py        the command line: options, clock, exit codes
    terminal/     its other end: progress, tables, messages
    workflows/    one module a command, each readable as its sentence
    settings.py   content/site.toml and the environment as one frozen value
    content.py    the only reader of content/
    records/      the nouns
    errors.py     what can go wrong, by who can act

Layers: cli > workflows > stages (never each other) > stores > settings > records > errors.
"""

__version__ = "0.1.0"
