"""Files read and written: whole or not at all, in bounded memory, nothing of them run."""
