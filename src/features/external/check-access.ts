// May this user use that application? Asked by a partner's system, one question or many, answered from one statement's facts.

import { AppError } from "../../kernel/error.ts";
import { type AccessFactStore, type AccessFacts, decideAccess } from "../authorization/model.ts";
import type { CallingClient } from "./model.ts";

export interface AccessQuestion {
	readonly userId: string;
	/** The client's own application unless given. */
	readonly appId: string | undefined;
	readonly permission: string | undefined;
}

/** @throws AppError `scope.missing` for another application without the right to ask about it. */
export async function checkAccess(facts: AccessFactStore, caller: CallingClient, asked: AccessQuestion) {
	const appId = asked.appId ?? caller.appId;
	if (!mayAskAbout(caller, appId)) throw otherApplication();
	return toAnswer(await facts.load(caller.tenantId, asked.userId, appId), appId, asked);
}

/**
 * Answers in the order of the questions, all from facts of one moment.
 *
 * @throws AppError `scope.missing` when one question is about an application the client may not ask about; no question
 * is answered then.
 */
export async function checkAccessBatch(
	facts: AccessFactStore,
	caller: CallingClient,
	questions: readonly AccessQuestion[],
) {
	const asked = questions.map((question) => ({ ...question, appId: question.appId ?? caller.appId }));
	const refused = asked.flatMap(({ appId }, index) => (mayAskAbout(caller, appId) ? [] : [index]));
	if (refused.length > 0) throw otherApplication(refused);
	const loaded = await facts.loadAll(caller.tenantId, asked);
	return loaded.map((found, index) => {
		const question = asked[index] as (typeof asked)[number];
		return toAnswer(found, question.appId, question);
	});
}

export function mayAskAbout(caller: CallingClient, appId: string): boolean {
	return appId === caller.appId || caller.scopes.includes("access:check:tenant");
}

/** `checks`: the questions it is about, by their place; none for a lone one. */
export function otherApplication(checks: readonly number[] = []): AppError {
	const message = "asking about another application needs the scope access:check:tenant";
	const fields = checks.map((index) => ({
		field: `checks.${index}.app_id`,
		message: "is not the client's own",
	}));
	return new AppError("scope.missing", message, { fields });
}

function toAnswer(facts: AccessFacts, appId: string, { userId, permission }: AccessQuestion) {
	const { allowed, reason, roles, permissions } = decideAccess(facts, permission);
	return {
		allowed,
		reason,
		user_id: userId,
		app_id: appId,
		permission: permission ?? null,
		roles: [...roles],
		permissions: [...permissions],
	};
}
