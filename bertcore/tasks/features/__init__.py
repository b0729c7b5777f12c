"""From examples to what the model reads, and from its scores back to answers.

make_features        examples of any kind -> Features (packed token ids, labels, the way back)
collate.TaskBatches  Features -> TaskBatch, epoch by epoch
decode               logits of all batches -> a Prediction for each example
"""
