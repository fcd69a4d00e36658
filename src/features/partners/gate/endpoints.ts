// `/applications/{id}/gate`: the gate in front of an application, as administrators manage it.

import { DECISION_REASONS, type DecisionReason } from "../../../domain/access.ts";
import type { Administrator } from "../../../domain/caller.ts";
import { OVERLAP_SECONDS_MAX } from "../../../domain/client-secret.ts";
import { CALLER_KINDS, GATE_REFUSALS_MAX } from "../../../domain/gate.ts";
import { METHOD, METHOD_MAX } from "../../../domain/gate-rule.ts";
import { data, empty, endpoint, page, putData } from "../../../http/endpoint.ts";
import {
	boolean,
	choice,
	exactText,
	integer,
	list,
	nullable,
	object,
	optional,
	plain,
	text,
} from "../../../http/schema.ts";
import { invalidField } from "../../../kernel/error.ts";
import { parseId } from "../../../kernel/id.ts";
import { mapPage } from "../../../kernel/page.ts";
import type { Platform } from "../../platform.ts";
import { type CallExplanation, type ExplainedCaller, explainCall } from "./explain-call.ts";
import {
	gateBody,
	gateSchema,
	gateWithKeySchema,
	refusalSchema,
	toSettings,
	toWireGate,
	toWireRefusal,
	toWireWithKey,
} from "./gate-wire.ts";
import { getGate, regenerateGateKey, removeGate } from "./manage-gate.ts";
import { putGate } from "./put-gate.ts";

const ids = { id: "application.not_found" } as const;
const TARGET_MAX = 8_192;
const CALLER_MAX = 50;

const regenerateBody = object({
	overlap_seconds: optional(
		integer({
			min: 0,
			max: OVERLAP_SECONDS_MAX,
			description: "How long the old key remains valid; default 0.",
		}),
	),
});

const explainBody = object({
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
				"`partner:<id of the API client>`, `person:<id of the user>`, or `program:<id of the application>`; by default nobody.",
			examples: ["partner:01980000-0000-7000-8000-000000000000"],
		}),
	),
});

const explanationSchema = object(
	{
		allowed: boolean(),
		code: nullable(plain({ description: "The error code of the refusal.", examples: ["gate.no_rule"] })),
		message: nullable(plain({ description: "Why the gate refuses." })),
		reason: nullable(
			choice(DECISION_REASONS, { description: "The access decision; null if the gate decides without it." }),
		),
		rule: nullable(
			integer({ description: "The position of the rule that applies, from 0; null if there is none." }),
		),
		caller: nullable(plain({ examples: ["partner:01980000-0000-7000-8000-000000000000"] })),
		permissions: list(plain(), { description: "Permissions of the caller, sorted; empty if refused." }),
	},
	{ title: "GateExplanation" },
);

export function gatesEndpoints(platform: Platform) {
	const { gateRefusals } = platform.db.stores;
	return {
		put: endpoint<Administrator>()({
			name: "putGate",
			summary: "Put a gate in front of an application",
			description:
				"Creates the gate, or replaces its settings: absent fields get their defaults. Idempotent. A proxy or a middleware asks the gate about each request, and authenticates with `gate_key`, which only the response that creates the gate contains.",
			ids,
			body: gateBody,
			response: putData(gateWithKeySchema, {
				created: "The new gate, with its key.",
				replaced: "The gate with its new settings.",
			}),
			errors: ["gate.origin_taken"],
			secret: true,
			async handle({ caller, ids: { id }, body }) {
				const { gate, isNew, keyPlain } = await putGate(platform, id, toSettings(body), caller);
				return { isNew, value: toWireWithKey(gate, keyPlain) };
			},
		}),

		get: endpoint<Administrator>()({
			name: "getGate",
			summary: "Get the gate of an application",
			ids,
			response: data(200, gateSchema, "The gate, without its key."),
			errors: ["gate.not_found"],
			handle: async ({ caller, ids: { id } }) => toWireGate(await getGate(platform, caller.tenantId, id)),
		}),

		remove: endpoint<Administrator>()({
			name: "deleteGate",
			summary: "Remove the gate of an application",
			description:
				"The proxy in front of the application is refused from its next request on, and must refuse, too.",
			ids,
			response: empty(204, "The gate is removed."),
			errors: ["gate.not_found"],
			handle: ({ caller, ids: { id } }) => removeGate(platform, id, caller),
		}),

		regenerateKey: endpoint<Administrator>()({
			name: "regenerateGateKey",
			summary: "Regenerate the key of a gate",
			description:
				"Only this response contains the new key. The old key becomes invalid immediately, or after `overlap_seconds`. At most two keys are valid at any time.",
			ids,
			body: regenerateBody,
			response: data(200, gateWithKeySchema, "The gate with its new key."),
			errors: ["gate.not_found"],
			secret: true,
			async handle({ caller, ids: { id }, body }) {
				const { gate, keyPlain } = await regenerateGateKey(platform, id, body.overlap_seconds ?? 0, caller);
				return toWireWithKey(gate, keyPlain);
			},
		}),

		explain: endpoint<Administrator>()({
			name: "explainGate",
			summary: "Explain what a gate decides",
			description:
				"Returns the decision that the gate would make now about a request with this method and target, and the rule that applies. The proof of the caller counts as valid, without the limits of an access token, and with a second factor. Decides nothing and changes nothing.",
			ids,
			body: explainBody,
			response: data(200, explanationSchema, "The decision and its reason."),
			errors: ["gate.not_found"],
			async handle({ caller: { tenantId }, ids: { id }, body: { method, target, caller } }) {
				if (!METHOD.test(method)) throw invalidField("method", "rule_method");
				const asked = { method, target, caller: caller === undefined ? undefined : parseCaller(caller) };
				const explained = await explainCall(platform, tenantId, id, asked);
				return toWireExplanation(explained, caller ?? null);
			},
		}),

		refusals: endpoint<Administrator>()({
			name: "listGateRefusals",
			summary: "List the last requests that a gate refused",
			description: `They appear after some seconds; the newest ${GATE_REFUSALS_MAX} are kept.`,
			ids,
			response: page(refusalSchema, "Refused requests, newest first."),
			errors: ["gate.not_found"],
			async handle({ caller: { tenantId }, ids: { id }, page }) {
				await getGate(platform, tenantId, id);
				return mapPage(await gateRefusals.list(id, page), toWireRefusal);
			},
		}),
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

function toWireExplanation({ rule, refusal, permissions }: CallExplanation, caller: string | null) {
	const denied = refusal?.headers["latchkey-reason"] as DecisionReason | undefined;
	const isDecided = permissions.length > 0 || (refusal === undefined && rule?.rule.needs !== "public");
	return {
		allowed: refusal === undefined,
		code: refusal?.code ?? null,
		message: refusal?.message ?? null,
		reason: denied ?? (isDecided ? ("ok" as const) : null),
		rule: rule?.position ?? null,
		caller,
		permissions: [...permissions],
	};
}
