// Whether a user may sign in or stay signed in: checks the account, the application, and the required second factor.

import { judgeAccess } from "../../../domain/access.ts";
import { userTarget } from "../../../domain/audit.ts";
import { hasFactor } from "../../../domain/second-factor.ts";
import type { SignedIn } from "../../../domain/session.ts";
import type { Stores } from "../../../domain/stores.ts";
import type { User } from "../../../domain/user.ts";
import { AppError } from "../../../kernel/error.ts";
import type { Needs } from "../../platform.ts";

/** @returns undefined, or `account.disabled` or `application.access_denied` (also for an unknown application). */
export async function findEntryRefusal(
	{ accessFacts }: Stores<"accessFacts">,
	{ id, tenantId, status, disabledReason }: User,
	appId: string | null,
): Promise<AppError | undefined> {
	if (status === "invited")
		return new AppError("account.disabled", "this account is not active: accept the invitation first");
	if (disabledReason === "dormant")
		return new AppError(
			"account.disabled",
			"this account is disabled because it was not used: reset the password, or ask an administrator",
		);
	if (status !== "active") return new AppError("account.disabled", "this account is disabled");
	if (appId !== null && judgeAccess(await accessFacts.load(tenantId, id, appId)) !== "ok")
		return new AppError(
			"application.access_denied",
			"you don't have access to this application: ask the person who runs it",
		);
	return undefined;
}

/** Whether the tenant or the application requires a second factor that `amr` (RFC 8176) lacks. */
export async function lacksRequiredFactor(
	{ secondFactors }: Stores<"secondFactors">,
	{ tenantId, appId, amr }: { tenantId: string; appId: string | null; amr: readonly string[] },
): Promise<boolean> {
	return !amr.includes("mfa") && (await secondFactors.isRequired(tenantId, appId));
}

/**
 * Checks what a sign-in to the applications checks, for a session with these authentication methods.
 *
 * @returns undefined, what `findEntryRefusal` returns, or `mfa.required`.
 */
export async function findSessionRefusal(
	stores: Stores<"accessFacts" | "secondFactors">,
	user: User,
	amr: readonly string[],
	appIds: readonly string[],
): Promise<AppError | undefined> {
	const { id, tenantId } = user;
	let lacks = !amr.includes("mfa") && hasFactor(await stores.secondFactors.findEnrolled(tenantId, id));
	for (const appId of appIds) {
		const refusal = await findEntryRefusal(stores, user, appId);
		if (refusal !== undefined) return refusal;
		lacks ||= await lacksRequiredFactor(stores, { tenantId, appId, amr });
	}
	return lacks ? secondFactorRequired() : undefined;
}

export function secondFactorRequired(): AppError {
	return new AppError("mfa.required", "a second factor is required here: sign in again");
}

/** Records the refusal like that of a sign-in, except a missing second factor, which the user can still add. */
export async function refuseEntry(
	{ db }: Needs<"audit">,
	refusal: AppError,
	appId: string,
	caller: SignedIn,
): Promise<never> {
	if (refusal.code !== "mfa.required") {
		const details = { reason: refusal.code, app_id: appId };
		await db.transaction(({ audit }) =>
			audit.append(caller, "user.sign_in_failed", userTarget(caller.user), details),
		);
	}
	throw refusal;
}
