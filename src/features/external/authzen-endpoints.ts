// The standard face of the access decision: OpenID AuthZEN Authorization API 1.0, under the signed scheme.

import { bare, endpoint } from "../../http/endpoint.ts";
import {
	anyObject,
	boolean,
	choice,
	type Infer,
	integer,
	list,
	object,
	optional,
	plain,
	text,
} from "../../http/schema.ts";
import { AppError, type FieldError } from "../../kernel/error.ts";
import type { Persistence } from "../../kernel/transaction.ts";
import { type AccessFactStore, BATCH_MAX, DECISION_REASONS } from "../authorization/model.ts";
import { otherApplication } from "./check-access.ts";
import {
	ACCESS_ACTION,
	type Evaluated,
	type Evaluation,
	evaluateAccess,
	RESOURCE_TYPE,
	SEMANTICS,
	SUBJECT_TYPE,
} from "./evaluate-access.ts";
import type { CallingClient } from "./model.ts";

const ENTITY_MAX = 256;
const subject = object({
	type: text({ max: ENTITY_MAX, description: `\`${SUBJECT_TYPE}\`; no other is known.` }),
	id: text({ max: ENTITY_MAX, description: "The user's id." }),
});
const action = object({
	name: text({
		max: 128,
		description: `The permission, e.g. \`orders:read\`; \`${ACCESS_ACTION}\` asks whether the application may be used at all.`,
	}),
});
const resource = object({
	type: text({ max: ENTITY_MAX, description: `\`${RESOURCE_TYPE}\`; no other is known.` }),
	id: text({ max: ENTITY_MAX, description: "The application's id." }),
});
const context = optional(anyObject({ description: "Taken, and not looked at." }));
const parts = { subject: optional(subject), action: optional(action), resource: optional(resource), context };
const evaluationsBody = object({
	...parts,
	evaluations: optional(list(object(parts), { max: BATCH_MAX })),
	options: optional(object({ evaluations_semantic: optional(choice(SEMANTICS)) })),
});

const answerContext = object({
	reason: optional(choice(DECISION_REASONS)),
	error: optional(object({ status: integer(), message: plain() })),
});
const decisionSchema = object({ decision: boolean(), context: answerContext }, { title: "Evaluation" });

const MAPPING = `The subject is a \`${SUBJECT_TYPE}\` by id, the resource an \`${RESOURCE_TYPE}\` by id, the action's name a permission. What is no user or application of the tenant is denied with the reason \`user_not_found\` or \`app_not_found\`. The answer is bare, as AuthZEN 1.0 has it.`;

const metadataSchema = object(
	{
		policy_decision_point: plain({ format: "uri" }),
		access_evaluation_endpoint: plain({ format: "uri" }),
		access_evaluations_endpoint: plain({ format: "uri" }),
	},
	{ title: "AuthzenConfiguration" },
);

export interface AuthzenDeps {
	readonly db: Persistence<{ accessFacts: AccessFactStore }>;
	readonly publicUrl: string;
}

export function authzenEndpoints({ db, publicUrl }: AuthzenDeps) {
	const { accessFacts } = db.stores;
	const one = async (caller: CallingClient, question: Evaluation): Promise<Evaluated> => {
		const [answer] = await evaluateAccess(accessFacts, caller, [question]);
		if (answer === undefined || answer.context.error !== undefined) throw otherApplication();
		return answer;
	};
	return {
		metadata: endpoint<undefined>()({
			name: "getAuthzenConfiguration",
			summary: "Get where access questions are asked (AuthZEN)",
			description:
				"The metadata of AuthZEN 1.0, section 9, bare. Requests there are signed like the open APIs.",
			answer: bare(200, metadataSchema, "The addresses."),
			handle: () => ({
				policy_decision_point: publicUrl,
				access_evaluation_endpoint: `${publicUrl}/access/v1/evaluation`,
				access_evaluations_endpoint: `${publicUrl}/access/v1/evaluations`,
			}),
		}),

		evaluation: endpoint<CallingClient>()({
			name: "evaluateAccess",
			summary: "Decide one access question (AuthZEN)",
			description: `${MAPPING} Another application than the client's own needs the scope \`access:check:tenant\`.`,
			body: object({ subject, action, resource, context }),
			answer: bare(200, decisionSchema, "The decision."),
			errors: ["scope.missing"],
			handle: ({ caller, body }) => one(caller, body),
		}),

		evaluations: endpoint<CallingClient>()({
			name: "evaluateAccesses",
			summary: "Decide many access questions (AuthZEN)",
			description: `${MAPPING} \`subject\`, \`action\` and \`resource\` beside \`evaluations\` are the defaults of each. Answers come in the order of the questions; \`deny_on_first_deny\` and \`permit_on_first_permit\` end after the answer that settles it. A question about an application the client may not ask about is denied with an error in its context. Without \`evaluations\` it is one question, answered like one.`,
			body: evaluationsBody,
			answer: bare(
				200,
				object(
					{
						evaluations: optional(list(decisionSchema)),
						decision: optional(boolean()),
						context: optional(answerContext),
					},
					{ title: "Evaluations" },
				),
				"The decisions, or the one decision.",
			),
			errors: ["scope.missing"],
			async handle({ caller, body: { evaluations = [], options, ...defaults } }) {
				if (evaluations.length === 0) return one(caller, complete([defaults], "")[0] as Evaluation);
				const questions = complete(
					evaluations.map((given) => ({ ...defaults, ...given })),
					"evaluations.",
				);
				const semantic = options?.evaluations_semantic;
				return { evaluations: await evaluateAccess(accessFacts, caller, questions, semantic) };
			},
		}),
	};
}

type Parts = Pick<Infer<typeof evaluationsBody>, "subject" | "action" | "resource">;

/** @throws AppError `request.invalid`: every question needs its three parts, its own or by default. */
function complete(given: readonly Parts[], prefix: "" | "evaluations."): Evaluation[] {
	const fields: FieldError[] = [];
	for (const [index, question] of given.entries())
		for (const part of ["subject", "action", "resource"] as const)
			if (question[part] === undefined)
				fields.push({ field: `${prefix === "" ? "" : `${prefix}${index}.`}${part}`, message: "is required" });
	if (fields.length > 0) {
		const message = fields.map(({ field, message }) => `${field} ${message}`).join("; ");
		throw new AppError("request.invalid", message, { fields });
	}
	return given as Evaluation[];
}
