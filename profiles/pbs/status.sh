#!/bin/sh
# Say what has become of a PBS job, in the words that Snakemake reads. -x shows finished jobs, too,
# where the server keeps them (job_history_enable); a server that does not answer is asked again.
if ! job=$(qstat -x -f "$1" 2>&1); then
  case $job in
    *"Unknown Job"* | *"has finished"*)
      echo "PBS has forgotten job $1: its server needs job_history_enable=True" >&2
      echo failed ;;
    *) echo running ;;
  esac
  exit
fi
case $job in
  *"job_state = F"*) ;;
  *"job_state = "*) echo running; exit ;;
esac
if printf '%s\n' "$job" | grep -q 'Exit_status = 0$'; then echo success; else echo failed; fi
