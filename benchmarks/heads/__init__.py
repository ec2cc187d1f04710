"""What is learned, in the semes of written programs: heads, probes and swaps beside controls."""
