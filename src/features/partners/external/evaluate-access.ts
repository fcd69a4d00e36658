// Decides access in the terms of AuthZEN 1.0: whether a subject may perform an action on a resource.

import { setImmediate as nextTurn } from "node:timers/promises";
import {
	type AccessFacts,
	type AccessPair,
	type DecisionReason,
	judgeAccess,
} from "../../../domain/access.ts";
import { type AppError, invalidField } from "../../../kernel/error.ts";
import { parseId } from "../../../kernel/id.ts";
import { type AccessLoader, type Asker, mayQuery, otherApplicationForbidden } from "./check-access.ts";

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
	readonly resource: {
		readonly type: string;
		readonly id: string;
		readonly properties?: { readonly application_id?: string };
	};
}

export interface Evaluator extends Asker {
	/** The application to which resources of every type belong, unless they name another one. */
	readonly defaultAppId?: string | undefined;
}

/** A refusal is the reason why a question cannot be decided; `isAllowed` is then false. */
export type EvaluationResult =
	| { readonly isAllowed: boolean; readonly reason: DecisionReason }
	| { readonly isAllowed: false; readonly refusal: AppError };

/**
 * Returns results in the order of the questions, all based on the same snapshot. The two short-circuit semantics stop
 * at the first result that settles the outcome. A subject that is not a user of the tenant, by type or id, results in
 * `user_not_found`. A resource of another type than `application` belongs to an application, whose permissions decide.
 */
export async function evaluateAccess(
	facts: AccessLoader,
	caller: Evaluator,
	questions: readonly Evaluation[],
	semantic: Semantic = "execute_all",
): Promise<EvaluationResult[]> {
	const pairs = questions.map(({ subject, action, resource }) => ({
		action,
		userId: subject.type === SUBJECT_TYPE ? (parseId(subject.id) ?? "") : "",
		appId: applicationOf(resource, caller.defaultAppId),
	}));
	const loaded = await loadDistinct(facts, caller.tenantId, pairs);
	const responses: EvaluationResult[] = [];
	for (const [index, { question, facts: found }] of loaded.entries()) {
		if (index % QUESTIONS_PER_TURN === QUESTIONS_PER_TURN - 1) await nextTurn();
		const refusal = refusalOf(caller, question.appId);
		if (refusal !== undefined) {
			responses.push({ isAllowed: false, refusal });
			continue;
		}
		const { userId, appId = NO_ID, action } = question;
		const reason = judgeAccess(found, action.name === ACCESS_ACTION ? undefined : action.name);
		// An admin key, which has no application, asks for itself: that is no use.
		if (reason === "ok" && caller.appId !== NO_ID) facts.noteUse(caller.tenantId, { userId, appId });
		responses.push({ isAllowed: reason === "ok", reason });
	}
	return responses.slice(0, endOf(responses, semantic));
}

/** No application has this id. */
const NO_ID = "";

/**
 * The id of the application, `NO_ID` for a malformed one, undefined if the resource names none. A misspelled
 * `application` does not belong to the default application: its id means another one.
 */
function applicationOf(
	{ type, id, properties }: Evaluation["resource"],
	defaultAppId: string | undefined,
): string | undefined {
	if (type === RESOURCE_TYPE) return parseId(id) ?? NO_ID;
	const isMisspelled = type.toLowerCase() === RESOURCE_TYPE;
	const named = properties?.application_id ?? (isMisspelled ? undefined : defaultAppId);
	return named === undefined ? undefined : (parseId(named) ?? NO_ID);
}

function refusalOf(caller: Evaluator, appId: string | undefined): AppError | undefined {
	if (appId === undefined)
		return invalidField("resource.properties.application_id", "required_unless_application");
	return mayQuery(caller, appId) ? undefined : otherApplicationForbidden();
}

function endOf(responses: readonly EvaluationResult[], semantic: Semantic): number {
	if (semantic === "execute_all") return responses.length;
	const deciding = semantic === "permit_on_first_permit";
	const index = responses.findIndex(({ isAllowed }) => isAllowed === deciding);
	return index === -1 ? responses.length : index + 1;
}

/** Loads each pair once. Returns the facts in the order of the questions, as the same object for the same pair. */
async function loadDistinct<Question extends { readonly userId: string; readonly appId: string | undefined }>(
	facts: AccessLoader,
	tenantId: string,
	questions: readonly Question[],
): Promise<{ readonly question: Question; readonly facts: AccessFacts }[]> {
	const indexes = new Map<string, number>();
	const pairs: AccessPair[] = [];
	const indexOf = ({ userId, appId = NO_ID }: Question): number => {
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
