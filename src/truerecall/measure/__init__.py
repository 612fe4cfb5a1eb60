"""What counts: ranking metrics, intervals, paired comparisons, evidence in the block, latency, prices and plots."""
