#!/bin/sh
# Say what has become of an LSF job, in the words that Snakemake reads. A system that does not answer
# is asked again.
if ! state=$(bjobs -noheader -o stat "$1" 2>&1); then
  case $state in
    *"is not found"*) echo failed ;;
    *) echo running ;;
  esac
  exit
fi
case $state in
  DONE) echo success ;;
  EXIT | ZOMBI | "" | *"is not found"*) echo failed ;;
  *) echo running ;;
esac
