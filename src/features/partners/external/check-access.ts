// Checks access for an API client. Facts for one question or for a batch are loaded in one statement.

import { setImmediate as nextTurn } from "node:timers/promises";
import {
	type AccessFactStore,
	type AccessFacts,
	type AccessPair,
	BATCH_LISTED_MAX,
	type Decision,
	type DecisionReason,
	heldNames,
	judgeAccess,
	LISTED_MAX,
} from "../../../domain/access.ts";
import type { SignedCaller } from "../../../domain/signing-client.ts";
import { AppError } from "../../../kernel/error.ts";
import { problem } from "../../../kernel/field-reason.ts";

/** Facts of the tenant, or made-up ones for a test client. */
export type AccessLoader = Pick<AccessFactStore, "load" | "loadAll">;

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
export async function checkAccess(facts: AccessLoader, caller: SignedCaller, question: AccessQuestion) {
	const appId = question.appId ?? caller.appId;
	if (!mayQuery(caller, appId)) throw otherApplicationForbidden();
	const found = await facts.load(caller.tenantId, question.userId, appId);
	const reason = judgeAccess(found, question.permission);
	return {
		...response({ ...question, appId }, reason),
		...listed(heldNames(found, reason), LISTED_MAX, true),
	};
}

/**
 * Returns results in the order of the questions, all based on the same snapshot. Loads and lists each pair of user and
 * application once. The results together list at most `BATCH_LISTED_MAX` roles and, with `includePermissions`, as many
 * permissions. Yields to other requests after each list.
 *
 * @throws AppError `scope.missing` for the whole batch if the client may not query one of the applications.
 */
export async function checkAccessBatch(
	facts: AccessLoader,
	caller: SignedCaller,
	questions: readonly AccessQuestion[],
	includePermissions: boolean,
) {
	const completed = questions.map((question) => ({ ...question, appId: question.appId ?? caller.appId }));
	const refused = completed.flatMap(({ appId }, index) => (mayQuery(caller, appId) ? [] : [index]));
	if (refused.length > 0) throw otherApplicationForbidden(refused);
	const loaded = await loadDistinct(facts, caller.tenantId, completed);
	const max = Math.min(LISTED_MAX, Math.floor(BATCH_LISTED_MAX / completed.length));
	const lists = new Map<AccessFacts, ReturnType<typeof listed>>();
	const responses = [];
	for (const { question, facts: found } of loaded) {
		const reason = judgeAccess(found, question.permission);
		let list = lists.get(found);
		if (list === undefined) {
			// The list does not depend on the permission: denials without a list are decided before it is checked.
			list = listed(heldNames(found, reason), max, includePermissions);
			lists.set(found, list);
			await nextTurn();
		}
		responses.push({ ...response(question, reason), ...list });
	}
	return responses;
}

export function mayQuery(caller: SignedCaller, appId: string): boolean {
	return appId === caller.appId || caller.scopes.includes("access:check:tenant");
}

/** @param checks the indexes of the refused questions in a batch */
export function otherApplicationForbidden(checks: readonly number[] = []): AppError {
	const message = "querying another application requires the scope access:check:tenant";
	const fields = checks.map((index) => ({
		field: `checks.${index}.app_id`,
		...problem("other_application"),
	}));
	return new AppError("scope.missing", message, { fields });
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
function listed(
	{ roles, permissions }: Pick<Decision, "roles" | "permissions">,
	max: number,
	withPermissions: boolean,
) {
	const isTruncated = roles.length > max || (withPermissions && permissions.length > max);
	return {
		roles: roles.slice(0, max),
		...(withPermissions && { permissions: permissions.slice(0, max) }),
		...(isTruncated && { truncated: true }),
	};
}

/** Returns the facts in the order of the questions, as the same object for the same pair. */
export async function loadDistinct<Question extends AccessPair>(
	facts: AccessLoader,
	tenantId: string,
	questions: readonly Question[],
): Promise<{ readonly question: Question; readonly facts: AccessFacts }[]> {
	const indexes = new Map<string, number>();
	const pairs: AccessPair[] = [];
	const indexOf = ({ userId, appId }: AccessPair): number => {
		const name = `${userId} ${appId}`;
		const index = indexes.get(name) ?? pairs.length;
		if (index === pairs.length) {
			indexes.set(name, index);
			pairs.push({ userId, appId });
		}
		return index;
	};
	const order = questions.map((question) => ({ question, index: indexOf(question) }));
	const loaded = await facts.loadAll(tenantId, pairs);
	return order.map(({ question, index }) => {
		const found = loaded[index];
		if (found === undefined) throw new Error("no facts were loaded for a question");
		return { question, facts: found };
	});
}
