"""Signal blocks: sources, arithmetic, linear systems, sampled blocks, routing."""
