"""What training makes small: losses with the negatives that they need."""
