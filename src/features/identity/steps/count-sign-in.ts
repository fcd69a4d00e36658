// Counts a sign-in by its outcome.

import type { SignInOutcome } from "../../../domain/sign-in.ts";
import type { EventCounter } from "../../../domain/statistics.ts";
import { AppError } from "../../../kernel/error.ts";

/** Counts what `signIn` returns or throws, for the tenant. */
export async function countSignIn<Outcome extends SignInOutcome>(
	statistics: EventCounter,
	tenantId: string,
	signIn: () => Promise<Outcome>,
): Promise<Outcome> {
	try {
		const outcome = await signIn();
		statistics.count(tenantId, "tokens" in outcome ? "sign_in" : "second_factor_asked");
		return outcome;
	} catch (error) {
		if (error instanceof AppError) statistics.count(tenantId, "sign_in_refused", error.reason ?? error.code);
		throw error;
	}
}
