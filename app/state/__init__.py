"""What is being looked at: text, masks, focus, head, model, and the reading of it. No widgets."""
