"""Room Predict: the words the model would put behind each mask, and whether B follows A."""
