"""Room Embed: how the input vector of every token is put together."""
