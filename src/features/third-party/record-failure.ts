// Somebody came back from a provider, or never got there, and gets nothing: what is kept of it.

import type { Log } from "../../kernel/log.ts";
import type { Origin } from "../../kernel/origin.ts";
import type { Persistence } from "../../kernel/transaction.ts";
import type { AuditLog } from "../audit/model.ts";
import {
	type CallbackError,
	type IdentityProvider,
	ProviderFailure,
	type ThirdPartyAttempt,
} from "./model.ts";

export interface FailureDeps {
	readonly db: Persistence<{ audit: AuditLog }>;
	readonly log: Log;
}

/** Why an attempt ended without a ticket; `userId` when it is known whose it would have been. */
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
 * One audit event a failed attempt, and for the operator a line in the log where the provider is at fault: its words are
 * in there and nowhere else.
 *
 * @returns what the application is told.
 */
export async function recordFailure(
	{ db, log }: FailureDeps,
	{ attempt, provider }: { readonly attempt: ThirdPartyAttempt; readonly provider: IdentityProvider },
	failure: AttemptRefused | ProviderFailure,
	origin: Origin,
): Promise<CallbackError> {
	const code = codeOf(failure);
	if (failure instanceof ProviderFailure && failure.reason !== "denied") {
		const { reason, message } = failure;
		log.warn(
			{ request_id: origin.requestId, provider_id: provider.id, reason, why: message },
			"provider failed",
		);
	}
	const userId = failure instanceof AttemptRefused ? failure.userId : undefined;
	const target = userId ?? attempt.linkTo?.userId;
	await db.transaction(async ({ audit }) => {
		await audit.append({
			tenantId: attempt.tenantId,
			actor: attempt.linkTo === null ? "anonymous" : `user:${attempt.linkTo.userId}`,
			action: attempt.linkTo === null ? "user.sign_in_failed" : "third_party_account.link_failed",
			target: target === undefined ? "" : `user:${target}`,
			origin,
			details: {
				reason: failure instanceof ProviderFailure ? `${code}: ${failure.reason}` : code,
				provider: provider.provider,
				app_id: attempt.appId,
			},
		});
	});
	return code;
}

function codeOf(failure: AttemptRefused | ProviderFailure): CallbackError {
	if (failure instanceof AttemptRefused) return failure.code;
	return failure.reason === "denied" ? "access_denied" : "provider_error";
}
