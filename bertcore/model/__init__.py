"""BERT in torch, from scratch. Read bert.py first: it has the legend of shapes."""
