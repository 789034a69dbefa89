"""Translation of one side of a bitext: translators that run or train here, and their scores."""
