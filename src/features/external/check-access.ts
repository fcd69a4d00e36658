// May this user use that application? Asked by a partner's system, answered from one statement's facts.

import { AppError } from "../../kernel/error.ts";
import { type AccessFactStore, decideAccess } from "../authorization/model.ts";
import type { CallingClient } from "./model.ts";

/** `appId` defaults to the client's own application. @throws AppError `scope.missing` for another without the right to ask. */
export async function checkAccess(
	facts: AccessFactStore,
	caller: CallingClient,
	asked: {
		readonly userId: string;
		readonly appId: string | undefined;
		readonly permission: string | undefined;
	},
) {
	const appId = asked.appId ?? caller.appId;
	if (appId !== caller.appId && !caller.scopes.includes("access:check:tenant")) {
		throw new AppError(
			"scope.missing",
			"asking about another application needs the scope access:check:tenant",
		);
	}
	const loaded = await facts.load(caller.tenantId, asked.userId, appId);
	const { allowed, reason, roles, permissions } = decideAccess(loaded, asked.permission);
	return {
		allowed,
		reason,
		user_id: asked.userId,
		app_id: appId,
		permission: asked.permission ?? null,
		roles: [...roles],
		permissions: [...permissions],
	};
}
