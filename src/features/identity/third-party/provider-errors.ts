// Why an identity provider cannot be created, changed, or deleted.

import { PROVIDERS_MAX } from "../../../domain/identity-provider.ts";
import { AppError } from "../../../kernel/error.ts";

export function insertError(outcome: "taken" | "issuer_taken" | "too_many"): AppError {
	if (outcome === "issuer_taken") return issuerTaken();
	return outcome === "taken"
		? new AppError("identity_provider.slug_taken", "provider is taken by another identity provider")
		: new AppError("identity_provider.too_many", `a tenant has at most ${PROVIDERS_MAX} identity providers`);
}

/** An assertion names its issuer by URL, so two of one URL would be one that works and one that does not. */
export function issuerTaken(): AppError {
	return new AppError(
		"issuer.taken",
		"another enabled provider with the use assertions has this issuer: disable it first",
	);
}

export function issuerInUse(how: string, names: readonly string[]): AppError {
	return new AppError("issuer.in_use", `the issuer is in use: ${how} ${names.join(", ")}`);
}

export function inUse(consequence: string): AppError {
	return new AppError(
		"identity_provider.in_use",
		`${consequence} while accounts of this provider are linked: disable it, or unlink them first`,
	);
}
