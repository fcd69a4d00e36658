// Access decisions over the OpenID AuthZEN Authorization API 1.0, for signed requests.

import { POSSESSION_ALGORITHMS } from "../../../crypto/possession-proof.ts";
import { BATCH_MAX, DECISION_REASONS } from "../../../domain/access.ts";
import { bare, endpoint } from "../../../http/describe/endpoint.ts";
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
} from "../../../http/describe/schema.ts";
import { STATUS_OF_KIND } from "../../../http/run/reply.ts";
import { type FieldError, invalidFields } from "../../../kernel/error.ts";
import { problem } from "../../../kernel/field-reason.ts";
import type { Platform } from "../../platform.ts";
import {
	ACCESS_ACTION,
	type Evaluation,
	type EvaluationResult,
	type Evaluator,
	evaluateAccess,
	RESOURCE_TYPE,
	SEMANTICS,
	SUBJECT_TYPE,
} from "./evaluate-access.ts";
import { createRecordsFor } from "./signed-records.ts";

const ENTITY_MAX = 256;
const EXAMPLE_ID = "01980000-0000-7000-8000-000000000000";
const subject = object({
	type: text({ max: ENTITY_MAX, description: `Always \`${SUBJECT_TYPE}\`.`, examples: [SUBJECT_TYPE] }),
	id: text({ max: ENTITY_MAX, description: "The user's id.", examples: [EXAMPLE_ID] }),
});
const action = object({
	name: text({
		max: 128,
		description: `A permission, such as \`orders:read\`. \`${ACCESS_ACTION}\` tests whether the user may use the application at all.`,
		examples: ["orders:read"],
	}),
});
const resource = object({
	type: text({
		max: ENTITY_MAX,
		description: `\`${RESOURCE_TYPE}\`, or any type of the application in \`properties.application_id\`.`,
		examples: [RESOURCE_TYPE],
	}),
	id: text({
		max: ENTITY_MAX,
		description: `The id of the \`${RESOURCE_TYPE}\`. Ids of other types do not affect the decision.`,
		examples: [EXAMPLE_ID],
	}),
	properties: optional(
		object({
			application_id: optional(
				text({
					max: ENTITY_MAX,
					description:
						"The application to which a resource of another type belongs. Default: the one for whose resource the access token is.",
					examples: [EXAMPLE_ID],
				}),
			),
		}),
	),
});
const context = optional(anyObject("Accepted and ignored."));
const parts = { subject: optional(subject), action: optional(action), resource: optional(resource), context };
const evaluationsBody = object({
	...parts,
	evaluations: optional(list(object(parts), { max: BATCH_MAX })),
	options: optional(object({ evaluations_semantic: optional(choice(SEMANTICS)) })),
});

const responseContext = object({
	reason: optional(choice(DECISION_REASONS)),
	error: optional(object({ status: integer(), message: plain() })),
});
const decisionSchema = object({ decision: boolean(), context: responseContext }, { title: "Evaluation" });

const MAPPING = `The subject is the id of a \`${SUBJECT_TYPE}\`, the resource the id of an \`${RESOURCE_TYPE}\`, and the name of the action a permission. A resource of any other type belongs to an application, which \`properties.application_id\` names, and whose permissions decide. An API client signs the request; a service sends its access token for the application; an admin key with the role \`admin\` may ask about every application. Unknown users and applications are denied with the reason \`user_not_found\` or \`app_not_found\`. As AuthZEN 1.0 requires, the response is not wrapped in \`data\`.`;

const metadataSchema = object(
	{
		policy_decision_point: plain({ format: "uri" }),
		access_evaluation_endpoint: plain({ format: "uri" }),
		access_evaluations_endpoint: plain({ format: "uri" }),
		authorization_servers: list(plain({ format: "uri" })),
		bearer_methods_supported: list(plain()),
		dpop_signing_alg_values_supported: list(plain()),
	},
	{ title: "AuthzenConfiguration" },
);

export function authzenEndpoints(platform: Platform) {
	const { publicUrl } = platform;
	const recordsFor = createRecordsFor(platform);
	const one = async (
		caller: Evaluator,
		question: readonly Evaluation[],
	): Promise<Infer<typeof decisionSchema>> => {
		const [response] = await evaluateAccess(recordsFor(caller).accessFacts, caller, question);
		if (response === undefined) throw new Error("a question was not decided");
		if ("refusal" in response) throw response.refusal;
		return toWireDecision(response);
	};
	return {
		metadata: endpoint<undefined>()({
			name: "getAuthzenConfiguration",
			summary: "Get the access evaluation URLs (AuthZEN)",
			description:
				"The metadata of AuthZEN 1.0, section 9, not wrapped in `data`. Sign requests to these endpoints like requests to the open APIs, or send the access token of a service or an admin key. The authorization server issues such tokens; the members about them are those of RFC 9728.",
			response: bare(200, metadataSchema, "The URLs."),
			handle: () => ({
				policy_decision_point: publicUrl,
				access_evaluation_endpoint: `${publicUrl}/access/v1/evaluation`,
				access_evaluations_endpoint: `${publicUrl}/access/v1/evaluations`,
				authorization_servers: [publicUrl],
				bearer_methods_supported: ["header"],
				dpop_signing_alg_values_supported: POSSESSION_ALGORITHMS,
			}),
		}),

		evaluation: endpoint<Evaluator>()({
			name: "evaluateAccess",
			summary: "Evaluate access (AuthZEN)",
			callerNamesRequest: true,
			description: `${MAPPING} Applications other than the API client's own require the scope \`access:check:tenant\`.`,
			body: object({ subject, action, resource, context }),
			response: bare(200, decisionSchema, "The decision."),
			errors: ["scope.missing"],
			handle: ({ caller, body }) => one(caller, [body]),
		}),

		evaluations: endpoint<Evaluator>()({
			name: "evaluateAccesses",
			summary: "Evaluate access in a batch (AuthZEN)",
			callerNamesRequest: true,
			description: `${MAPPING} \`subject\`, \`action\`, and \`resource\` beside \`evaluations\` are the defaults for each evaluation. Decisions are returned in the order of \`evaluations\`; \`deny_on_first_deny\` and \`permit_on_first_permit\` stop at the decision that settles the outcome. An evaluation that names no application, or one that the caller may not query, is denied, with an error in its context. Without \`evaluations\`, the request is a single evaluation.`,
			body: evaluationsBody,
			response: bare(
				200,
				object(
					{
						evaluations: optional(list(decisionSchema)),
						decision: optional(boolean()),
						context: optional(responseContext),
					},
					{ title: "Evaluations" },
				),
				"The decisions, or the single decision.",
			),
			errors: ["scope.missing"],
			async handle({ caller, body: { evaluations = [], options, ...defaults } }) {
				if (evaluations.length === 0) return one(caller, complete([defaults], ""));
				const questions = complete(
					evaluations.map((parts) => ({ ...defaults, ...parts })),
					"evaluations.",
				);
				const semantic = options?.evaluations_semantic;
				const results = await evaluateAccess(recordsFor(caller).accessFacts, caller, questions, semantic);
				return { evaluations: results.map(toWireDecision) };
			},
		}),
	};
}

/** AuthZEN 1.0, section 5.5. */
function toWireDecision(result: EvaluationResult): Infer<typeof decisionSchema> {
	if (!("refusal" in result)) return { decision: result.isAllowed, context: { reason: result.reason } };
	const { kind, message } = result.refusal;
	return { decision: false, context: { error: { status: STATUS_OF_KIND[kind], message } } };
}

type Parts = Pick<Infer<typeof evaluationsBody>, "subject" | "action" | "resource">;

const PARTS = ["subject", "action", "resource"] as const;

function hasParts(question: Parts): question is Evaluation {
	return PARTS.every((part) => question[part] !== undefined);
}

/** @throws AppError `request.invalid` unless every question has all three parts after the defaults are applied. */
function complete(questions: readonly Parts[], prefix: "" | "evaluations."): Evaluation[] {
	const fields: FieldError[] = [];
	for (const [index, question] of questions.entries())
		for (const part of PARTS)
			if (question[part] === undefined)
				fields.push({ field: `${prefix === "" ? "" : `${prefix}${index}.`}${part}`, ...problem("required") });
	if (fields.length > 0) throw invalidFields(fields);
	return questions.filter(hasParts);
}
