"""Networks: torch computes with weights by name."""
