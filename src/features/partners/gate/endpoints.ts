// `/applications/{id}/gate`: the gate in front of an application, as administrators manage it.

import type { Administrator } from "../../../domain/caller.ts";
import { data, empty, endpoint, putData } from "../../../http/describe/endpoint.ts";
import { object } from "../../../http/describe/schema.ts";
import type { Platform } from "../../platform.ts";
import { overlapInput } from "../steps/overlap-wire.ts";
import { explainBody, explanationSchema, toQuestion, toWireExplanation } from "./explanation-wire.ts";
import {
	gateBody,
	gateSchema,
	gateWithKeySchema,
	toSettings,
	toWireGate,
	toWireWithKey,
} from "./gate-wire.ts";
import { getGate, regenerateGateKey, removeGate } from "./manage-gate.ts";
import { putGate } from "./put-gate.ts";
import { replayBody, replaySchema, toWireReplay } from "./replay-wire.ts";

const ids = { id: "application.not_found" } as const;

const regenerateBody = object({
	overlap_seconds: overlapInput("How long the old key remains valid; default 0."),
});

export function gatesEndpoints(platform: Platform) {
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
				"The gate refuses the proxy from its next request on, and the proxy must then refuse its callers.",
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
			async handle({ caller: { tenantId }, ids: { id }, body }) {
				const question = toQuestion(body);
				// Loaded with the first request, to keep the startup fast.
				const { explainCall } = await import("./explain-call.ts");
				return toWireExplanation(await explainCall(platform, tenantId, id, question), question.caller);
			},
		}),

		replay: endpoint<Administrator>()({
			name: "replayGate",
			summary: "Try settings of a gate on recent requests",
			description:
				"Decides the last 100 refusals of the gate, and a sample of the requests that it let pass on this node, by its settings and by `draft`, and returns those that differ. Changes nothing.",
			ids,
			body: replayBody,
			response: data(200, replaySchema, "What the draft would change."),
			errors: ["gate.not_found"],
			async handle({ caller: { tenantId }, ids: { id }, body: { draft } }) {
				const { replayCalls } = await import("./replay-calls.ts");
				return toWireReplay(await replayCalls(platform, tenantId, id, toSettings(draft)));
			},
		}),
	};
}
