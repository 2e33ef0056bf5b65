"""Published deployments of differential privacy: epsilon or rho, and the privacy unit.

Source: the OpenDP deployments registry (MIT licence). An epsilon per user-day is not an epsilon per person, so only
deployments with the same unit are compared. Deployments whose unit is not in this list are left out.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction


@dataclass(frozen=True, slots=True)
class PublishedDeployment:
    """A deployment with its privacy loss per unit."""

    name: str
    unit: str
    epsilon: Fraction | None = None
    rho: Fraction | None = None

    def __str__(self) -> str:
        from lapcat.core.exact import exact_text

        amount = (
            f"ρ = {exact_text(self.rho)}"
            if self.rho is not None
            else f"ε = {exact_text(self.epsilon or Fraction(0))}"
        )
        return f"{self.name}: {amount} for each {self.unit}"


DEPLOYMENTS = (
    PublishedDeployment("Google COVID-19 symptom trends", "user-day", Fraction("1.68")),
    PublishedDeployment("Google Community Mobility", "user-day", Fraction("2.64")),
    PublishedDeployment("Exposure Notifications analytics", "user-day", Fraction(8)),
    PublishedDeployment("Apple HealthKit", "event", Fraction(2)),
    PublishedDeployment("Apple emoji", "event", Fraction(4)),
    PublishedDeployment("LinkedIn Audience Engagements", "user-month", Fraction("34.9")),
    PublishedDeployment("US Census 2020 redistricting", "person", rho=Fraction("2.63")),
    PublishedDeployment("US Census 2020 DHC", "person", rho=Fraction("15.29")),
)

UNITS = tuple(dict.fromkeys(deployment.unit for deployment in DEPLOYMENTS))


def of_unit(unit: str) -> tuple[PublishedDeployment, ...]:
    return tuple(deployment for deployment in DEPLOYMENTS if deployment.unit == unit)
