"""A sweep: several runs that differ in a few settings."""
