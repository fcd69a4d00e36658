// Records a third-party sign-in that failed.

import { named } from "../../../domain/audit.ts";
import { anonymousCaller, userCaller } from "../../../domain/caller.ts";
import type { IdentityProvider } from "../../../domain/identity-provider.ts";
import { ProviderFailure } from "../../../domain/provider-gateway.ts";
import type { CallbackError, ThirdPartyAttempt } from "../../../domain/third-party-attempt.ts";
import type { Origin } from "../../../kernel/origin.ts";
import type { Needs } from "../../platform.ts";

/** The reason why an attempt ended without a sign-in or link; `userId` is its user, if known. */
export class AttemptRefused extends Error {
	readonly code: CallbackError;
	readonly userId: string | undefined;

	constructor(code: CallbackError, userId?: string) {
		super(`third-party sign-in refused: ${code}`);
		this.name = "AttemptRefused";
		this.code = code;
		this.userId = userId;
	}
}

/**
 * Writes one audit event, and a log line if the provider failed: only the log contains the provider's message.
 *
 * @returns the error code for the page.
 */
export async function recordFailure(
	{ db, log, statistics }: Needs<"users" | "audit", "log" | "statistics">,
	{ tenantId, linkTo }: Pick<ThirdPartyAttempt, "tenantId" | "linkTo">,
	provider: IdentityProvider,
	failure: AttemptRefused | ProviderFailure,
	origin: Origin,
): Promise<CallbackError> {
	const code = codeOf(failure);
	const reason = failure instanceof ProviderFailure ? `${code}: ${failure.reason}` : code;
	if (failure instanceof ProviderFailure && failure.reason !== "denied") {
		const where = { request_id: origin.requestId, tenant_id: tenantId, provider_id: provider.id };
		log.warn({ ...where, reason: failure.reason, error: failure.message }, "provider failed");
	}
	const userId = (failure instanceof AttemptRefused ? failure.userId : undefined) ?? linkTo?.userId;
	const user = userId === undefined ? undefined : await db.stores.users.findById(tenantId, userId);
	const target = userId === undefined ? "" : named("user", userId, user?.username ?? "");
	const details = { reason, provider: provider.provider };
	await db.transaction(async ({ users, audit }) => {
		if (linkTo === null)
			return await audit.append(anonymousCaller(tenantId, origin), "user.sign_in_failed", target, details);
		const requester = user?.id === linkTo.userId ? user : await users.findById(tenantId, linkTo.userId);
		const caller = userCaller({ tenantId, id: linkTo.userId, username: requester?.username ?? "" }, origin);
		await audit.append(caller, "third_party_account.link_failed", target, details);
	});
	if (linkTo === null) statistics.count(tenantId, "sign_in_refused", `third_party.${code}`);
	return code;
}

function codeOf(failure: AttemptRefused | ProviderFailure): CallbackError {
	if (failure instanceof AttemptRefused) return failure.code;
	return failure.reason === "denied" ? "access_denied" : "provider_error";
}
