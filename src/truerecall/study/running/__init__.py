"""Running a study: the order of the runs, attempts, resume, the purse, and what is kept of each."""
