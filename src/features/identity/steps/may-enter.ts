// Whether a person may sign in, or stay signed in: the account, the application, the required second factor.

import { judgeAccess } from "../../../domain/access.ts";
import type { Stores } from "../../../domain/stores.ts";
import type { User } from "../../../domain/user.ts";
import { AppError } from "../../../kernel/error.ts";

/** @returns undefined, or `account.disabled` or `application.access_denied` (also for an unknown application). */
export async function findEntryRefusal(
	{ accessFacts }: Stores<"accessFacts">,
	{ id, tenantId, status }: User,
	appId: string | null,
): Promise<AppError | undefined> {
	if (status === "invited")
		return new AppError("account.disabled", "this account is not active yet: accept the invitation first");
	if (status !== "active") return new AppError("account.disabled", "this account is disabled");
	if (appId !== null && judgeAccess(await accessFacts.load(tenantId, id, appId)) !== "ok")
		return new AppError("application.access_denied", "you have no access to this application");
	return undefined;
}

/** Whether the tenant or the application requires a second factor that `amr` (RFC 8176) does not hold. */
export async function lacksRequiredFactor(
	{ secondFactors }: Stores<"secondFactors">,
	{ tenantId, appId, amr }: { tenantId: string; appId: string | null; amr: readonly string[] },
): Promise<boolean> {
	return !amr.includes("mfa") && (await secondFactors.isRequired(tenantId, appId));
}
