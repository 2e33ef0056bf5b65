"""BadQuery: an argument of a mechanism, of a composition or of a sample size is wrong."""

from lapcat.render.error_codes.entry import ErrorCode

_F = "BadQuery"

NUMBERS = (
    ErrorCode(
        "rho-zero",
        _F,
        "A rho of 0 leaves no answer: one that costs nothing ignores the data.",
        "Give the question a share of rho above 0.",
        "m.Gaussian(sensitivity=1, rho=0)",
    ),
    ErrorCode(
        "several-numbers",
        _F,
        "The exact (epsilon, delta) of Gaussian noise is proved for one number, and a unit may move several of these.",
        "Take the Gaussian whose cost is a rho, and turn the sum of rhos into (epsilon, delta) with lapcat.compose.",
    ),
    ErrorCode(
        "sensitivity-not-positive",
        _F,
        "A sensitivity, or an error that is asked for, is above 0.",
        "Release a number that nobody can change as it is.",
        "m.Laplace(sensitivity=0, epsilon=1)",
    ),
    ErrorCode(
        "noise-unsaid",
        _F,
        "The noise is given in exactly one way: epsilon or scale for Laplace, epsilon and delta or rho for Gaussian.",
        "epsilon=0.1",
        "m.Laplace(sensitivity=1)",
    ),
    ErrorCode(
        "grid-power",
        _F,
        "The grid is a power of two, which divides floats exactly; a polytope has none.",
        "grid=1 for counts, or 0.5, 0.25, …",
        "m.Laplace(sensitivity=1, epsilon=1, grid=3)",
    ),
    ErrorCode(
        "dimension-range",
        _F,
        "The number of dimensions is missing, too large for this mechanism, or another than announced.",
        "dimensions=3",
        "m.Laplace(sensitivity=1, epsilon=1, dimensions=2).release([1.5, 2.5, 3.5])",
    ),
    ErrorCode(
        "value-unreadable",
        _F,
        "What is released is a finite number.",
        "An int, a float, a Fraction or a Decimal.",
        "m.Laplace(sensitivity=1, epsilon=1).release('x')",
    ),
    ErrorCode(
        "array-type",
        _F,
        "The array holds values of a type that this mechanism does not release.",
        "An array of integers or floats; of booleans for randomised response.",
    ),
    ErrorCode(
        "value-reach",
        _F,
        "A number lies beyond what can be released: of one the range of floats, of an array 2^62 steps of the grid.",
        "Clip to public bounds first, or take a coarser grid: grid=1.",
        "m.Laplace(sensitivity=1, epsilon=1).release(np.array([1e12]))",
    ),
    ErrorCode(
        "array-value",
        _F,
        "The array holds NaN or an infinity.",
        "Replace them by a number before the release.",
    ),
    ErrorCode(
        "answers-range", _F, "A number of answers, questions, rows or people is 1 or more.", "answers=10"
    ),
    ErrorCode(
        "error-needs-epsilon",
        _F,
        "The wanted error needs an epsilon that protects nobody.",
        "A larger error, or a finer grid.",
    ),
    ErrorCode(
        "size-question",
        _F,
        "A sample size is asked for with the error, or the error with n.",
        "lapcat.sample_size(questions=10, error=0.02, failure=0.05, epsilon=1)",
        "lapcat.sample_size(questions=10, failure=0.05, epsilon=1)",
    ),
)

K_NORM = (
    ErrorCode(
        "norm-unsaid",
        _F,
        "K is given by exactly one of norm, vertices, differences and questions.",
        'norm="l2", dimensions=3',
        "m.KNorm(epsilon=1)",
    ),
    ErrorCode(
        "norm-unknown",
        _F,
        "There is no norm of that name.",
        '"l1", "l2" or "linf", or vertices=…',
        'm.KNorm(norm="l3", dimensions=2, epsilon=1)',
    ),
    ErrorCode(
        "vertices-shape",
        _F,
        "Vertices and differences are vectors of one length.",
        "differences=[[1, 0], [1, 1]]",
        "m.KNorm(differences=[[1, 0], [1]], epsilon=1)",
    ),
    ErrorCode(
        "vertices-span",
        _F,
        "The vertices do not span the space, so no facets enclose it.",
        "KNorm.of_differences reduces them to the lattice they span.",
    ),
    ErrorCode(
        "polytope-complex",
        _F,
        "The differences make a polytope with too many facets.",
        "Split the questions, or take Laplace noise.",
    ),
    ErrorCode(
        "acceptance-hopeless",
        _F,
        "Noise of this shape would be drawn by rejecting more than ten thousand proposals for each that is kept.",
        "Split the questions, or take Laplace noise.",
        'm.KNorm(norm="l1", dimensions=9, epsilon=1)',
    ),
    ErrorCode(
        "law-too-wide",
        _F,
        "The joint law has more points than can be summed.",
        "squared_error of the mechanism needs no sum; or draw from it.",
    ),
)

ACCOUNTING = (
    ErrorCode(
        "losses-unreadable",
        _F,
        "compose takes a list of losses, events, mechanisms, or numbers that are pure epsilons.",
        'lapcat.compose(["0.1", "0.2"])',
        'lapcat.compose("0.1")',
    ),
    ErrorCode(
        "losses-mixed",
        _F,
        "Parts measured by rho and parts measured by (epsilon, delta) have no common measure.",
        "Compose them without parallel=.",
    ),
    ErrorCode(
        "delta-too-small",
        _F,
        "The delta is less than what the releases use, or turns no rho into an epsilon.",
        "delta=1e-6",
        "lapcat.compose([m.Gaussian(sensitivity=1, rho=1)])",
    ),
    ErrorCode("filter-cap", _F, "A filter is capped in epsilon or in rho, not in both.", "Filter(epsilon=…)"),
    ErrorCode(
        "filter-kind",
        _F,
        "(epsilon, delta) never becomes a rho, and a rho has no epsilon without a delta.",
        "A filter of the other kind.",
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
        "The release would take the sum of losses past the filter's cap.",
        "A smaller loss; the message says how much is left.",
    ),
)
