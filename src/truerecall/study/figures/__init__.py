"""What a study found: medians, savings, success, controls, exclusions and one sentence, from its rows alone."""
