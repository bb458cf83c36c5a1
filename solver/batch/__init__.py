"""Many runs of one model at once: threads, SIMD lanes, Gymnasium environments."""
