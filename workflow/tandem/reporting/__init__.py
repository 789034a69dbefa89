"""Tables, figures and claims, made from scores alone."""
