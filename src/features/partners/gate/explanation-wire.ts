// The wire form of a request to explain a gate's decision, and of the response.

import { DECISION_REASONS, type DecisionReason } from "../../../domain/access.ts";
import { CALLER_KINDS } from "../../../domain/gate.ts";
import { METHOD, METHOD_MAX } from "../../../domain/gate-rule.ts";
import {
	boolean,
	choice,
	exactText,
	type Infer,
	integer,
	list,
	nullable,
	object,
	optional,
	plain,
	text,
} from "../../../http/describe/schema.ts";
import { invalidField } from "../../../kernel/error.ts";
import { parseId } from "../../../kernel/id.ts";
import type { CallExplanation, CallQuestion, ExplainedCaller } from "./explain-call.ts";
import { gateBody, toSettings } from "./gate-wire.ts";

const TARGET_MAX = 8_192;
const CALLER_MAX = 50;

export const explainBody = object({
	method: text({ max: METHOD_MAX, examples: ["GET"] }),
	target: exactText({
		max: TARGET_MAX,
		description: "The path and query exactly as on the request line.",
		examples: ["/orders/17"],
	}),
	caller: optional(
		text({
			max: CALLER_MAX,
			description:
				"`partner:<id of the API client>`, `person:<id of the user>`, or `program:<id of the application>`; by default an anonymous caller.",
			examples: ["partner:01980000-0000-7000-8000-000000000000"],
		}),
	),
	draft: optional({
		...gateBody,
		description: "Settings that decide instead of those of the gate, as PUT takes them. They are not stored.",
	}),
});

export const explanationSchema = object(
	{
		allowed: boolean(),
		code: nullable(plain({ description: "The error code of the refusal.", examples: ["gate.no_rule"] })),
		message: nullable(plain("Why the gate refuses.")),
		reason: nullable(
			choice(DECISION_REASONS, { description: "The access decision; null if the gate decides without it." }),
		),
		rule: nullable(integer("The position of the rule that applies, from 0; null if there is none.")),
		caller: nullable(plain({ examples: ["partner:01980000-0000-7000-8000-000000000000"] })),
		permissions: list(plain(), { description: "Permissions of the caller, sorted; empty if refused." }),
	},
	{ title: "GateExplanation" },
);

/** @throws AppError `request.invalid` */
export function toQuestion({ method, target, caller, draft }: Infer<typeof explainBody>): CallQuestion {
	if (!METHOD.test(method)) throw invalidField("method", "rule_method");
	return {
		method,
		target,
		caller: caller === undefined ? undefined : parseCaller(caller),
		draft: draft === undefined ? undefined : toSettings(draft),
	};
}

/** @throws AppError `request.invalid` */
function parseCaller(text: string): ExplainedCaller {
	const [name, id = "", ...others] = text.split(":");
	const kind = CALLER_KINDS.find((kind) => kind === name);
	if (kind === undefined || others.length > 0)
		throw invalidField("caller", "one_of", { values: CALLER_KINDS.map((kind) => `${kind}:<id>`) });
	const parsed = parseId(id);
	if (parsed === undefined) throw invalidField("caller", "uuid");
	return { kind, id: parsed };
}

export function toWireExplanation(
	{ rule, refusal, permissions }: CallExplanation,
	caller: ExplainedCaller | undefined,
): Infer<typeof explanationSchema> {
	const denied = refusal?.headers["latchkey-reason"] as DecisionReason | undefined;
	const isDecided = permissions.length > 0 || (refusal === undefined && rule?.rule.needs !== "public");
	return {
		allowed: refusal === undefined,
		code: refusal?.code ?? null,
		message: refusal?.message ?? null,
		reason: denied ?? (isDecided ? ("ok" as const) : null),
		rule: rule?.position ?? null,
		caller: caller === undefined ? null : `${caller.kind}:${caller.id}`,
		permissions: [...permissions],
	};
}
