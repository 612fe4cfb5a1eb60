"""What everything else speaks of: entries, scopes, trust, times, ids and settings."""
