"""Logical plans of questions, their sensitivity and their price: everything between parsing and execution.

schema, limits          the catalogue's declarations as values
nodes, expressions      the logical plan: scans, filters, joins, grouped integer sums; scalar expressions
bounding                contribution bounding: rank, weights, or per question
facts, predicates       sensitivity of every node; joint sensitivity by a solver over all records (records/)
produced, work          upper bounds on the rows and bytes that one unit causes in an engine
compile, budget         from a question to noise scales and a price, and the split of a budget
aggregates, choices     aggregates as functions of noisy sums; selections (quantiles, extremes, modes)
accuracy, error_target  margins of error, and the least budget for a requested one
released                post-processing of released tables

Nothing here reads data.
"""
