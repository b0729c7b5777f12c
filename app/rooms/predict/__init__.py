"""Room Predict: the words the model would put behind each mask, and what it says of A and B."""
