"""The sample study: a small repository of our own writing, its memory, two questions and a control."""
