"""Tables that every study may use."""
