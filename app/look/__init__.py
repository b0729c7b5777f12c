"""Colours, fonts, icons and number formats."""
