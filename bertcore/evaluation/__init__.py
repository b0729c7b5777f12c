"""What is measured of a pretrained model: text it was not trained on, cloze sets, minimal pairs, what its heads do."""
