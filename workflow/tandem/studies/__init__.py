"""A study: its values, what its results are made from, the configuration of all studies."""
