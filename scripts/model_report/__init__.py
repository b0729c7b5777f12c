"""The report of a pretrained model that its card prints: each figure with its standard error, on whole documents."""
