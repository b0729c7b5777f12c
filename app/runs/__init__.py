"""Training runs: started, followed and steered as child processes."""
