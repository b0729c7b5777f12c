"""Pictures of every room, view and lesson, drawn without a display: `python -m scripts.tour build/tour`."""
