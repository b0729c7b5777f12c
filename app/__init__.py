"""The BERTscope window."""
