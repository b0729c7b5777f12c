"""Room Apply: what a model that was taught a task says of what someone types."""
