"""The matrix mechanism: workloads of linear counting queries, the strategies that measure them, and the planner that chooses
the strategy of least expected error before any row is read. Answers are reconstructed by least squares."""
