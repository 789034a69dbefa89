"""Text to ids: tokens, SentencePiece, words, trigrams; arrays of ids on disk."""
