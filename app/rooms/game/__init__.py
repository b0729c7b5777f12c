"""Room Game: the class guesses a hidden word, then the model."""
