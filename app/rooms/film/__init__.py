"""Room Film strip: a run's snapshots side by side."""
