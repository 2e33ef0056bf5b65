"""Rendering for people: tables, charts, notebook HTML, plain-language explanations, privacy statements, error reference.

Answers, previews and budgets (lapcat.session.results) come in; text, HTML or SVG goes out. No module here reads rows.
"""
