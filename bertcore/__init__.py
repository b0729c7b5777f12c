"""BERT from scratch: the engine under BERTscope, usable alone from Python and the shell."""
