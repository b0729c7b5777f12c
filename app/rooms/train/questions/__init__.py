"""What a run answers to its questions while it learns."""
