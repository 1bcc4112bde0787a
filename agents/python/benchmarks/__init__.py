"""The benchmarks of `bench.py`, and their report."""
