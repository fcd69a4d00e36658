// Decides access in the terms of AuthZEN 1.0: whether a subject may perform an action on a resource.

import { setImmediate as nextTurn } from "node:timers/promises";
import {
	type AccessFacts,
	type AccessPair,
	type DecisionReason,
	judgeAccess,
} from "../../../domain/access.ts";
import type { SignedCaller } from "../../../domain/signing-client.ts";
import { parseId } from "../../../kernel/id.ts";
import { type AccessLoader, mayQuery, otherApplicationForbidden } from "./check-access.ts";

export const SUBJECT_TYPE = "user";
export const RESOURCE_TYPE = "application";
/** Tests whether the user may use the application at all. No permission can have this name. */
export const ACCESS_ACTION = "@access";

/** Questions decided between two yields to other requests. Each may search 40,000 permissions. */
const QUESTIONS_PER_TURN = 10;

/** AuthZEN 1.0, section 7.1.2.1. */
export const SEMANTICS = ["execute_all", "deny_on_first_deny", "permit_on_first_permit"] as const;
type Semantic = (typeof SEMANTICS)[number];

/** One question. The name of the action is a permission or `ACCESS_ACTION`. */
export interface Evaluation {
	readonly subject: { readonly type: string; readonly id: string };
	readonly action: { readonly name: string };
	readonly resource: { readonly type: string; readonly id: string };
}

/** AuthZEN 1.0, section 5.5. */
export interface EvaluationResult {
	readonly decision: boolean;
	readonly context: {
		readonly reason?: DecisionReason;
		/** Why the question cannot be decided; `decision` is then false. */
		readonly error?: { readonly status: 403; readonly message: string };
	};
}

/**
 * Returns results in the order of the questions, all based on the same snapshot. The two short-circuit semantics stop
 * at the first result that settles the outcome. A subject that is not a user of the tenant, by type or id, results in
 * `user_not_found`; a resource that is not an application, in `app_not_found`.
 */
export async function evaluateAccess(
	facts: AccessLoader,
	caller: SignedCaller,
	questions: readonly Evaluation[],
	semantic: Semantic = "execute_all",
): Promise<EvaluationResult[]> {
	const pairs = questions.map(({ subject, action, resource }) => ({
		action,
		userId: idOf(subject, SUBJECT_TYPE),
		appId: idOf(resource, RESOURCE_TYPE),
	}));
	const loaded = await loadDistinct(facts, caller.tenantId, pairs);
	const responses: EvaluationResult[] = [];
	for (const [index, { question, facts: found }] of loaded.entries()) {
		if (index % QUESTIONS_PER_TURN === QUESTIONS_PER_TURN - 1) await nextTurn();
		if (!mayQuery(caller, question.appId)) {
			const error = { status: 403, message: otherApplicationForbidden().message } as const;
			responses.push({ decision: false, context: { error } });
			continue;
		}
		const { name } = question.action;
		const reason = judgeAccess(found, name === ACCESS_ACTION ? undefined : name);
		responses.push({ decision: reason === "ok", context: { reason } });
	}
	return responses.slice(0, endOf(responses, semantic));
}

function idOf({ type, id }: { readonly type: string; readonly id: string }, expectedType: string): string {
	return type === expectedType ? (parseId(id) ?? "") : "";
}

function endOf(responses: readonly EvaluationResult[], semantic: Semantic): number {
	if (semantic === "execute_all") return responses.length;
	const deciding = semantic === "permit_on_first_permit";
	const index = responses.findIndex(({ decision }) => decision === deciding);
	return index === -1 ? responses.length : index + 1;
}

/** Loads each pair once. Returns the facts in the order of the questions, as the same object for the same pair. */
async function loadDistinct<Question extends AccessPair>(
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
