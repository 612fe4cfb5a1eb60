"""The proof: data sets, systems under one protocol, retrieval measured with its controls, and reports."""
