"""Whether intervals hold the truth as often as they say, for the noise that they claim to cover.

all.py         all of these
coverage.py    how often is often enough
sums.py        counts, sums, averages, variances, lines, running totals and shares
strategies.py  numbers that are worked out of what a strategy measures
choices.py     medians, quantiles, least and greatest values
added_up.py    numbers that follow from stored answers, added up over their groups

Noise is drawn by the mechanisms of a question, from coins that are the same in every audit, and put on exact integers; what an
answer makes of it is computed as for a question that is asked. Where there is one draw all of its values are gone through.
"""
