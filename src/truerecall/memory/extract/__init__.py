"""What is taken out of a text when it is written: names, dates and statements, by rules and for nothing."""
