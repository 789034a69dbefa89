"""Reading and writing files: whole or not at all, in bounded memory, and never running them."""
