// `/external/secret/rotate`: a partner's system renews its own Secret.

import { data, endpoint } from "../../http/endpoint.ts";
import { integer, object, optional } from "../../http/schema.ts";
import type { CallingClient } from "../external/model.ts";
import { apiClientWithSecretSchema, toWireWithSecret } from "./api-client-wire.ts";
import { OVERLAP_SECONDS_MAX, ROTATION_OVERLAP_SECONDS } from "./model.ts";
import { type RotateSecretDeps, rotateSecret } from "./rotate-secret.ts";

const rotateBody = object({
	overlap_seconds: optional(
		integer({
			min: 0,
			max: OVERLAP_SECONDS_MAX,
			description: `How long the old Secret still counts beside the new one; ${ROTATION_OVERLAP_SECONDS} (a day) unless given.`,
		}),
	),
});

export function rotationEndpoints(deps: RotateSecretDeps) {
	return {
		rotate: endpoint<CallingClient>()({
			name: "rotateSecret",
			summary: "Rotate the Secret of the calling client",
			description:
				"The new Secret is in this answer and never shown again; the one that signed the call still counts for `overlap_seconds`, and the one before it dies at once. Needs no scope. Must be signed with the current Secret: with the previous one, or when another call was faster, it answers 409. The client's owner is mailed. Should the answer get lost, ask an administrator to regenerate the Secret before the overlap is over.",
			body: rotateBody,
			answer: data(200, apiClientWithSecretSchema, "The calling client with its new Secret."),
			errors: ["secret.superseded"],
			secret: true,
			async handle({ caller, body, request }) {
				const overlapSeconds = body.overlap_seconds ?? ROTATION_OVERLAP_SECONDS;
				const { client, secretPlain } = await rotateSecret(deps, caller, overlapSeconds, request);
				return toWireWithSecret(client, secretPlain, deps.clock());
			},
		}),
	};
}
