"""What compiled kernels share: how they are compiled and called, chance, bits, piles, rows."""
