#!/bin/sh
# Submit a job to LSF; print its number alone: bsub says "Job <7> is submitted to queue <main>."
told=$(bsub "$@") || exit
printf '%s\n' "$told" | sed -n 's/^Job <\([0-9]*\)>.*/\1/p'
