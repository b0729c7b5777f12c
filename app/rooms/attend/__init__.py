"""Room Attend: every attention head of every layer, and one of them large."""
