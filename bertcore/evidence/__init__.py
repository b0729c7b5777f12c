"""What holds over many texts: collections of them, and heads, grammar, probes ... measured with intervals."""
