"""What is made of a batch besides entries: the day's journal, and lessons."""
