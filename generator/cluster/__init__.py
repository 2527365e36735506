"""An archive of years, spread over processes by Dask distributed (the extra `bitdepth[cluster]`).

    connection   a client of a scheduler, or of workers that are started on this machine
    likeness     what a worker's root must have in common with ours; whoever reads another one stops the run
    tasks        what a worker does: tally a night, make a model's share of a span, put a span's files together
    spreading    which tasks there are and what each waits for; results in the order of one process

Dask alone decides where a task runs, moves what it needs there, and does it again where a worker died. A task reads the
archive and writes nothing; what it returns depends on nothing but its arguments and the archive's bytes.
"""
