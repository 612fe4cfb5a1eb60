"""What the benchmarks of speed share: a text without end, stores made of it, and times taken in turn."""
