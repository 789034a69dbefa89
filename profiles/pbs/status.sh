#!/bin/sh
# Say what has become of a PBS job, in the words that Snakemake reads. -x shows finished jobs, too.
job=$(qstat -x -f "$1")
case $job in
  *"job_state = F"*) ;;
  *"job_state = "*) echo running; exit ;;
esac
if printf '%s\n' "$job" | grep -q 'Exit_status = 0$'; then echo success; else echo failed; fi
