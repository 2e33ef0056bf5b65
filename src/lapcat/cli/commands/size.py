"""lapcat size: the sample size for an error, or the error for a sample size. Reads no data."""

from __future__ import annotations

import click

from lapcat.cli.options import json_option, one_form, plain_option, printing


@click.command(short_help="Compute sample sizes for a wanted error; reads no data.")
@click.option("--questions", default=1, show_default=True, metavar="K", help="Number of shares to estimate.")
@click.option("--error", metavar="NUMBER", help="Wanted error of each share, such as 0.02.")
@click.option("--n", metavar="PEOPLE", help="Number of people: compute the error instead.")
@click.option(
    "--failure",
    default="0.05",
    show_default=True,
    metavar="NUMBER",
    help="Probability that an error is larger.",
)
@click.option("--epsilon", required=True, metavar="NUMBER", help="Epsilon for all questions together.")
@json_option
@plain_option
def command(
    questions: int,
    error: str | None,
    n: str | None,
    failure: str,
    epsilon: str,
    as_json: bool,
    plain: bool,
) -> None:
    """Compute how many people are needed to answer counting questions within an error, or the error with n people.

    Compares Laplace noise by a trusted curator with randomised response, where nobody is trusted: with epsilon split over
    all questions, and with one random question per person.
    """
    one_form(json=as_json, plain=plain)
    from lapcat.plan.sample_size import sample_size

    size = sample_size(questions=questions, error=error, n=n, failure=failure, epsilon=epsilon)
    with printing(plain) as screen:
        if as_json:
            from lapcat.cli.streams import print_json

            print_json(size.as_json())
            return
        from lapcat.cli.layout import LayoutColumn, table
        from lapcat.cli.screen import StyledText
        from lapcat.core.exact import exact_text
        from lapcat.render.tables import shown_number

        def shown(figure: float) -> str:
            return shown_number(figure, 0) if isinstance(figure, int) else f"{figure:.4g}"

        rows = size.rows()
        given = (
            f"within {exact_text(size.error)}"
            if size.error is not None
            else f"from {shown_number(size.n, 0)} people"
        )
        count = "1 question" if size.questions == 1 else f"{size.questions} questions"
        screen.show(
            [
                [
                    StyledText(
                        f" {count} {given}, failure probability at most {exact_text(size.failure)}, "
                        f"epsilon {exact_text(size.epsilon)} in all"
                    )
                ],
                *table(
                    [
                        LayoutColumn("by", [name for name, _, _ in rows]),
                        LayoutColumn(
                            "people needed" if size.wanted == "n" else "error",
                            [shown(figure) for _, figure, _ in rows],
                            right=True,
                            style="bold",
                        ),
                        LayoutColumn("by Chebyshev", [shown(figure) for _, _, figure in rows], right=True),
                    ],
                    None,
                ),
                [
                    StyledText(
                        f" one question per person adds a sampling error of {size.sampling_error:.3g}", "dim"
                    )
                ],
            ]
        )
