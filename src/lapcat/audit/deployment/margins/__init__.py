"""Coverage of confidence intervals for the noise they claim to cover.

all.py         all of these
coverage.py    coverage and its test
sums.py        counts, sums, averages, variances, regressions, running totals and shares
strategies.py  estimates from the measurements of a strategy
choices.py     medians, quantiles, minima and maxima
added_up.py    sums of stored answers over their groups

The mechanisms of a question draw noise from deterministic coins, the same in every audit, and add it to exact integers; estimates
are computed as for a real question. If there is a single draw, all of its values are enumerated.
"""
