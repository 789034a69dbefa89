"""Does language choice matter: which languages, how far from English, how much they share."""
