"""What counts: ranking metrics, intervals, paired comparisons, evidence in the block, latency and plots."""
