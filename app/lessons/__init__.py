"""Lessons: text files whose pages set what the window shows, ask questions and check what a student did."""
