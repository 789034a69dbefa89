"""What encoders are scored on."""
