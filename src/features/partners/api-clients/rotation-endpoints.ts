// `/external/secret/rotate`: an API client rotates its own Secret.

import { OVERLAP_SECONDS_MAX, ROTATION_OVERLAP_SECONDS } from "../../../domain/client-secret.ts";
import type { CallingClient } from "../../../domain/signing-client.ts";
import { data, endpoint } from "../../../http/endpoint.ts";
import { integer, object, optional } from "../../../http/schema.ts";
import type { Platform } from "../../platform.ts";
import { apiClientWithSecretSchema, toWireWithSecret } from "./api-client-wire.ts";
import { rotateOwnSecret } from "./renew-secret.ts";

const rotateBody = object({
	overlap_seconds: optional(
		integer({
			min: 0,
			max: OVERLAP_SECONDS_MAX,
			description: `How long the old Secret stays valid beside the new one; default ${ROTATION_OVERLAP_SECONDS} (a day).`,
		}),
	),
});

export function rotationEndpoints(platform: Platform) {
	return {
		rotate: endpoint<CallingClient>()({
			name: "rotateSecret",
			summary: "Rotate the Secret of the calling client",
			description:
				"Only this answer shows the new Secret; the one that signed the call stays valid for `overlap_seconds`, and the one before it becomes invalid at once. Needs no scope. Must be signed with the current Secret: with the previous one, or if a concurrent call was first, it answers 409. Mails the client's owner. If the answer is lost, ask an administrator to regenerate the Secret before the overlap ends.",
			body: rotateBody,
			answer: data(200, apiClientWithSecretSchema, "The calling client with its new Secret."),
			errors: ["secret.superseded"],
			secret: true,
			async handle({ caller, body }) {
				const overlapSeconds = body.overlap_seconds ?? ROTATION_OVERLAP_SECONDS;
				const { client, secretPlain } = await rotateOwnSecret(platform, overlapSeconds, caller);
				return toWireWithSecret(client, secretPlain, platform.clock());
			},
		}),
	};
}
