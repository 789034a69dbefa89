"""Tables that any study can name."""
