#!/bin/sh
# Say what has become of an LSF job, in the words that Snakemake reads.
case $(bjobs -noheader -o stat "$1") in
  DONE) echo success ;;
  EXIT | ZOMBI | "") echo failed ;;
  *) echo running ;;
esac
