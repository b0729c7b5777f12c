"""Checkpoint folders in the Hugging Face layout: read, written, fetched."""
