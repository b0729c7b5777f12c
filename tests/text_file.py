"""A file and what stands in it, in one line."""


def text_file(file, text):
    file.write_text(text, encoding="utf-8")
    return file
