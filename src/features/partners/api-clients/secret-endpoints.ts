// The Secrets of API clients: administrators regenerate and validate them, and a client rotates its own.

import type { Administrator } from "../../../domain/caller.ts";
import { ROTATION_OVERLAP_SECONDS } from "../../../domain/client-secret.ts";
import type { CallingClient } from "../../../domain/signing-client.ts";
import { data, endpoint } from "../../../http/describe/endpoint.ts";
import { boolean, choice, object, optional, secretText, trimmedText } from "../../../http/describe/schema.ts";
import type { Platform } from "../../platform.ts";
import { overlapInput } from "../steps/overlap-wire.ts";
import {
	apiClientSchema,
	apiClientWithSecretSchema,
	toWireApiClient,
	toWireWithSecret,
} from "./api-client-wire.ts";
import { regenerateSecret, rotateOwnSecret } from "./renew-secret.ts";
import { createCredentialsValidator, REFUSAL_REASONS } from "./validate-credentials.ts";

/** Longer than any issued key or Secret. */
const CREDENTIAL_TEXT_MAX = 256;

const overlapBody = (byDefault: string) =>
	object({
		overlap_seconds: overlapInput(`How long the old Secret also remains valid; default ${byDefault}.`),
	});
const validateBody = object({
	api_key: trimmedText({ max: CREDENTIAL_TEXT_MAX }),
	secret: secretText({ max: CREDENTIAL_TEXT_MAX }),
});
const validationSchema = object(
	{
		valid: boolean(),
		reason: optional(choice(REFUSAL_REASONS, { description: "Present only if `valid` is false." })),
		client: optional(apiClientSchema),
	},
	{ title: "CredentialsValidation" },
);

export function secretsEndpoints(platform: Platform) {
	const validate = createCredentialsValidator(platform);
	return {
		regenerate: endpoint<Administrator>()({
			name: "regenerateApiClientSecret",
			summary: "Regenerate the Secret of an API client",
			description:
				"Only this response contains the new Secret. The old Secret becomes invalid immediately, or after `overlap_seconds`. At most two Secrets are valid at any time, so regenerating during an overlap invalidates the oldest immediately. Concurrent calls run one after the other, and the Secret of the last one remains.",
			ids: { id: "api_client.not_found" },
			body: overlapBody("0"),
			response: data(200, apiClientWithSecretSchema, "The API client with its new Secret."),
			errors: ["api_client.unclaimed", "api_client.test_mode", "api_client.has_keys"],
			secret: true,
			async handle({ caller, ids: { id }, body }) {
				const overlapSeconds = body.overlap_seconds ?? 0;
				const { client, secretPlain } = await regenerateSecret(platform, id, overlapSeconds, caller);
				return toWireWithSecret(client, secretPlain, platform.clock());
			},
		}),

		rotate: endpoint<CallingClient>()({
			name: "rotateSecret",
			summary: "Rotate the Secret of the calling client",
			description:
				"Only this response contains the new Secret. The Secret that signed the call remains valid for `overlap_seconds`; an earlier one becomes invalid immediately. Requires no scope. Sign the call with the current Secret: with the previous one, or after a concurrent rotation, it returns 409. The service mails the client's owner. If the response is lost, ask an administrator to regenerate the Secret before the overlap ends.",
			body: overlapBody(`${ROTATION_OVERLAP_SECONDS} (a day)`),
			response: data(200, apiClientWithSecretSchema, "The calling client with its new Secret."),
			errors: ["secret.superseded", "api_client.has_keys"],
			secret: true,
			async handle({ caller, body }) {
				const overlapSeconds = body.overlap_seconds ?? ROTATION_OVERLAP_SECONDS;
				const { client, secretPlain } = await rotateOwnSecret(platform, overlapSeconds, caller);
				return toWireWithSecret(client, secretPlain, platform.clock());
			},
		}),

		validate: endpoint<Administrator>()({
			name: "validateApiClientCredentials",
			summary: "Validate client credentials",
			description:
				"Checks whether the key and the Secret belong together and would be accepted now, regardless of the IP address. During an overlap, both Secrets are valid. Wrong credentials are not an error: the response is 200 with `valid: false`. `disabled` and `expired` are reported only for the correct Secret; an unknown key returns `invalid_credentials` after the same work. The call does not count as a use of the client. At most 10 calls per minute from one IP address.",
			body: validateBody,
			response: data(200, validationSchema, "The result, and the client if the credentials are valid."),
			async handle({ caller, body }) {
				const credentials = { apiKey: body.api_key, secretPlain: body.secret };
				const validation = await validate(caller.tenantId, credentials);
				if (!validation.valid) return { valid: false, reason: validation.reason };
				return { valid: true, client: toWireApiClient(validation.client, platform.clock()) };
			},
		}),
	};
}
