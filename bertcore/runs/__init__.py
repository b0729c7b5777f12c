"""Run folders: what a training run writes, and who reads it. Importable without torch."""
