"""Room Evidence: what holds over many texts."""
