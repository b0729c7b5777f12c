"""Room Train: start runs, watch them learn, open their snapshots."""
