"""BadQuery: invalid arguments of mechanisms, composition and sample sizes."""

from lapcat.render.error_codes.entry import ErrorCode

_F = "BadQuery"

NUMBERS = (
    ErrorCode(
        "rho-zero",
        _F,
        "With a rho of 0 the answer would have to ignore the data.",
        "Give the question a rho above 0.",
        "m.Gaussian(sensitivity=1, rho=0)",
    ),
    ErrorCode(
        "several-numbers",
        _F,
        "The exact (epsilon, delta) of Gaussian noise is proved for one number, but a unit can change several of these.",
        "Use the Gaussian mechanism with a rho, and convert the sum of rhos into (epsilon, delta) with lapcat.compose.",
    ),
    ErrorCode(
        "sensitivity-not-positive",
        _F,
        "A sensitivity or a wanted error must be above 0.",
        "A number that nobody can change needs no noise: publish it directly.",
        "m.Laplace(sensitivity=0, epsilon=1)",
    ),
    ErrorCode(
        "noise-unsaid",
        _F,
        "Specify the noise in exactly one way: epsilon or scale for Laplace; epsilon and delta, or rho, for Gaussian.",
        "epsilon=0.1",
        "m.Laplace(sensitivity=1)",
    ),
    ErrorCode(
        "grid-power",
        _F,
        "The grid must be a power of two, which divides floats exactly. A polytope takes no grid.",
        "grid=1 for counts, or 0.5, 0.25, …",
        "m.Laplace(sensitivity=1, epsilon=1, grid=3)",
    ),
    ErrorCode(
        "dimension-range",
        _F,
        "The number of dimensions is missing, too large for this mechanism, or does not match the data.",
        "dimensions=3",
        "m.Laplace(sensitivity=1, epsilon=1, dimensions=2).release([1.5, 2.5, 3.5])",
    ),
    ErrorCode(
        "value-unreadable",
        _F,
        "The value to release must be a finite number.",
        "Pass an int, a float, a Fraction or a Decimal.",
        "m.Laplace(sensitivity=1, epsilon=1).release('x')",
    ),
    ErrorCode(
        "array-type",
        _F,
        "The array has a type that this mechanism does not release.",
        "Pass an array of integers or floats; for randomised response, of booleans.",
    ),
    ErrorCode(
        "value-reach",
        _F,
        "A number is too large: a single number must lie in the range of floats, an array within 2^62 grid steps.",
        "Clamp to public bounds first, or use a coarser grid: grid=1.",
        "m.Laplace(sensitivity=1, epsilon=1).release(np.array([1e12]))",
    ),
    ErrorCode(
        "array-value",
        _F,
        "The array contains NaN or infinity.",
        "Replace them with a number before the release.",
    ),
    ErrorCode(
        "answers-range",
        _F,
        "A number of answers, questions, rows or people must be at least 1.",
        "answers=10",
    ),
    ErrorCode(
        "error-needs-epsilon",
        _F,
        "The wanted error needs an epsilon that protects nobody.",
        "Allow a larger error, or use a finer grid.",
    ),
    ErrorCode(
        "size-question",
        _F,
        "Pass either error, to get a sample size, or n, to get the error.",
        "lapcat.sample_size(questions=10, error=0.02, failure=0.05, epsilon=1)",
        "lapcat.sample_size(questions=10, failure=0.05, epsilon=1)",
    ),
)

K_NORM = (
    ErrorCode(
        "norm-unsaid",
        _F,
        "Specify K by exactly one of norm, vertices, differences and questions.",
        'norm="l2", dimensions=3',
        "m.KNorm(epsilon=1)",
    ),
    ErrorCode(
        "norm-unknown",
        _F,
        "No norm has this name.",
        '"l1", "l2" or "linf", or pass vertices=…',
        'm.KNorm(norm="l3", dimensions=2, epsilon=1)',
    ),
    ErrorCode(
        "vertices-shape",
        _F,
        "Vertices and differences must be vectors of the same length.",
        "differences=[[1, 0], [1, 1]]",
        "m.KNorm(differences=[[1, 0], [1]], epsilon=1)",
    ),
    ErrorCode(
        "vertices-span",
        _F,
        "The vertices do not span the space, so they enclose no volume.",
        "Use KNorm.of_differences, which reduces them to the lattice they span.",
    ),
    ErrorCode(
        "polytope-complex",
        _F,
        "The polytope of these differences has too many facets.",
        "Split the questions, or use Laplace noise.",
    ),
    ErrorCode(
        "acceptance-hopeless",
        _F,
        "Rejection sampling for this shape would reject more than ten thousand proposals per draw.",
        "Split the questions, or use Laplace noise.",
        'm.KNorm(norm="l1", dimensions=9, epsilon=1)',
    ),
    ErrorCode(
        "law-too-wide",
        _F,
        "The joint distribution has too many points to sum over.",
        "Use squared_error of the mechanism, which needs no sum; or draw from it.",
    ),
)

ACCOUNTING = (
    ErrorCode(
        "losses-unreadable",
        _F,
        "compose takes a list of losses, events, mechanisms, or numbers (pure epsilons).",
        'lapcat.compose(["0.1", "0.2"])',
        'lapcat.compose("0.1")',
    ),
    ErrorCode(
        "losses-mixed",
        _F,
        "parallel= cannot combine parts measured in rho with parts measured in (epsilon, delta).",
        "Compose them without parallel=.",
    ),
    ErrorCode(
        "delta-too-small",
        _F,
        "delta is smaller than the releases already use, or is missing where a rho must be converted into an epsilon.",
        "delta=1e-6",
        "lapcat.compose([m.Gaussian(sensitivity=1, rho=1)])",
    ),
    ErrorCode("filter-cap", _F, "A filter has a cap in epsilon or in rho, not in both.", "Filter(epsilon=…)"),
    ErrorCode(
        "filter-kind",
        _F,
        "(epsilon, delta) cannot be converted into rho, nor rho into epsilon without a delta.",
        "Use a filter of the other kind.",
    ),
    ErrorCode(
        "accounting-missing",
        _F,
        "Privacy loss distributions need the package dp-accounting.",
        'pip install "lapcat[accounting]"',
        "lapcat.compose([1], delta=1e-6, loss_distributions=True)",
    ),
)

FILTERS = (
    ErrorCode(
        "filter-exceeded",
        "BudgetExceeded",
        "The release would exceed the filter's cap.",
        "Use a smaller loss; the message says how much is left.",
    ),
)
