#!/bin/sh
# Say what has become of a job of Grid Engine, in the words that Snakemake reads. Its account may be
# written some seconds after the job has left the queue; a system that does not answer is asked again.
if queue=$(qstat -j "$1" 2>&1); then echo running; exit; fi
case $queue in *"unable to"* | *"can't connect"* | *"error: commlib"*) echo running; exit ;; esac
for _ in 1 2 3 4 5 6; do
  if account=$(qacct -j "$1" 2>/dev/null); then break; fi
  sleep 5
done
if printf '%s\n' "$account" | grep -q '^exit_status *0 *$' &&
  printf '%s\n' "$account" | grep -q '^failed *0 *$'; then echo success; else echo failed; fi
