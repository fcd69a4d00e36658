// The access decision in the terms of AuthZEN 1.0: may this subject do that action on this resource?

import { parseId } from "../../kernel/id.ts";
import { type AccessFactStore, type DecisionReason, decideAccess } from "../authorization/model.ts";
import { mayAskAbout, otherApplication } from "./check-access.ts";
import type { CallingClient } from "./model.ts";

export const SUBJECT_TYPE = "user";
export const RESOURCE_TYPE = "application";
/** Asks whether the application may be used at all. No permission of a role can be called so. */
export const ACCESS_ACTION = "@access";

/** AuthZEN 1.0, section 7.1.2.1. */
export const SEMANTICS = ["execute_all", "deny_on_first_deny", "permit_on_first_permit"] as const;
export type Semantic = (typeof SEMANTICS)[number];

/** One question. The action's name is the permission asked for, or `ACCESS_ACTION`. */
export interface Evaluation {
	readonly subject: { readonly type: string; readonly id: string };
	readonly action: { readonly name: string };
	readonly resource: { readonly type: string; readonly id: string };
}

/** AuthZEN 1.0, section 5.5. */
export interface Evaluated {
	readonly decision: boolean;
	readonly context: {
		readonly reason?: DecisionReason;
		/** Why the question could not be decided; the decision is then false. */
		readonly error?: { readonly status: 403; readonly message: string };
	};
}

/**
 * Answers in the order of the questions, all from facts of one moment; the two short semantics end after the answer
 * that settles it. A subject that is no user of the tenant, by type or id, is `user_not_found`; a resource that is no
 * application `app_not_found`.
 */
export async function evaluateAccess(
	facts: AccessFactStore,
	caller: CallingClient,
	questions: readonly Evaluation[],
	semantic: Semantic = "execute_all",
): Promise<Evaluated[]> {
	const pairs = questions.map(({ subject, resource }) => ({
		userId: idOf(subject, SUBJECT_TYPE),
		appId: idOf(resource, RESOURCE_TYPE),
	}));
	const loaded = await facts.loadAll(caller.tenantId, pairs);
	const answers = questions.map(({ action }, index): Evaluated => {
		if (!mayAskAbout(caller, pairs[index]?.appId ?? ""))
			return { decision: false, context: { error: { status: 403, message: otherApplication().message } } };
		const found = loaded[index];
		if (found === undefined) throw new Error("a question came back without facts");
		const permission = action.name === ACCESS_ACTION ? undefined : action.name;
		const { allowed, reason } = decideAccess(found, permission);
		return { decision: allowed, context: { reason } };
	});
	return answers.slice(0, endOf(answers, semantic));
}

function idOf({ type, id }: { readonly type: string; readonly id: string }, wanted: string): string {
	return type === wanted ? (parseId(id) ?? "") : "";
}

function endOf(answers: readonly Evaluated[], semantic: Semantic): number {
	if (semantic === "execute_all") return answers.length;
	const settling = semantic === "permit_on_first_permit";
	const place = answers.findIndex(({ decision }) => decision === settling);
	return place === -1 ? answers.length : place + 1;
}
