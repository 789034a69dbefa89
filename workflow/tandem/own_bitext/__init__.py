"""What people do with bitext of their own: train an encoder, see how good it is, find pairs."""
