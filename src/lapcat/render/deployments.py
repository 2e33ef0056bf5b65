"""Releases that others made with a published epsilon or rho, each with the unit that it protects.

Source: the OpenDP deployments registry (MIT licence). An epsilon for a day of somebody's data is not an epsilon for the
person: only those of the same unit are ever set beside each other, and where the registry's unit is not known here the
deployment is left out.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction


@dataclass(frozen=True, slots=True)
class PublishedDeployment:
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

UNITS = tuple(dict.fromkeys(one.unit for one in DEPLOYMENTS))


def of_unit(unit: str) -> tuple[PublishedDeployment, ...]:
    return tuple(one for one in DEPLOYMENTS if one.unit == unit)
