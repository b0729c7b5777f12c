"""What ships with BERTscope beside the code: the built-in checkpoint, its recipe, the sample corpus, example pairs."""
