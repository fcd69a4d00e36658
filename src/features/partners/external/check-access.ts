// Checks access for an API client.

import {
	type AccessFactStore,
	type AccessPair,
	type Decision,
	type DecisionReason,
	heldNames,
	judgeAccess,
	LISTED_MAX,
} from "../../../domain/access.ts";
import type { SignedCaller } from "../../../domain/signing-client.ts";
import { AppError } from "../../../kernel/error.ts";

/** Facts of the tenant, or made-up ones for a test client. */
export interface AccessLoader extends Pick<AccessFactStore, "load" | "loadAll"> {
	/** Call it with each pair that is allowed. */
	noteUse(tenantId: string, pair: AccessPair): void;
}

/** Whose questions are decided: `appId` is the own application. */
export type Asker = Pick<SignedCaller, "tenantId" | "appId" | "scopes" | "mode">;

interface AccessQuestion {
	readonly userId: string;
	/** Default: the client's own application. */
	readonly appId?: string | undefined;
	readonly permission?: string | undefined;
}

/**
 * Lists at most `LISTED_MAX` roles and `LISTED_MAX` permissions.
 *
 * @throws AppError `scope.missing` for another application without the scope `access:check:tenant`.
 */
export async function checkAccess(facts: AccessLoader, caller: Asker, question: AccessQuestion) {
	const appId = question.appId ?? caller.appId;
	if (!mayQuery(caller, appId)) throw otherApplicationForbidden();
	const found = await facts.load(caller.tenantId, question.userId, appId);
	const reason = judgeAccess(found, question.permission);
	if (reason === "ok") facts.noteUse(caller.tenantId, { userId: question.userId, appId });
	return { ...response({ ...question, appId }, reason), ...listed(heldNames(found, reason)) };
}

export function mayQuery(caller: Asker, appId: string): boolean {
	return appId === caller.appId || caller.scopes.includes("access:check:tenant");
}

export function otherApplicationForbidden(): AppError {
	return new AppError("scope.missing", "querying another application requires the scope access:check:tenant");
}

function response({ userId, appId, permission }: AccessQuestion & { appId: string }, reason: DecisionReason) {
	return {
		allowed: reason === "ok",
		reason,
		user_id: userId,
		app_id: appId,
		permission: permission ?? null,
	};
}

/** Includes `truncated` only if roles or permissions were omitted. */
function listed({ roles, permissions }: Pick<Decision, "roles" | "permissions">) {
	const isTruncated = roles.length > LISTED_MAX || permissions.length > LISTED_MAX;
	return {
		roles: roles.slice(0, LISTED_MAX),
		permissions: permissions.slice(0, LISTED_MAX),
		...(isTruncated && { truncated: true }),
	};
}
