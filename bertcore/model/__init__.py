"""BERT in torch, from scratch: one model for training and for looking.

Dimensions, in all modules of this package:
    B batch   S sequence   H hidden   N heads   D head size   I feed-forward width   V vocabulary   R chosen rows
"""
