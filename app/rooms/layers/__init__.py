"""Room Layers: hidden states from the embeddings to the last layer, and one layer step by step."""
