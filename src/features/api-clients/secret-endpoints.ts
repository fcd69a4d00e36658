// The Secrets of API clients: regenerated, and tried out by an administrator.

import { data, endpoint } from "../../http/endpoint.ts";
import { boolean, choice, integer, object, optional, secretText, text } from "../../http/schema.ts";
import { adminContext } from "../applications/model.ts";
import type { SignedIn } from "../auth/model.ts";
import {
	apiClientSchema,
	apiClientWithSecretSchema,
	toWireApiClient,
	toWireWithSecret,
} from "./api-client-wire.ts";
import { OVERLAP_SECONDS_MAX } from "./model.ts";
import { type RegenerateSecretDeps, regenerateSecret } from "./regenerate-secret.ts";
import {
	createCredentialsValidator,
	REFUSAL_REASONS,
	type ValidateCredentialsDeps,
} from "./validate-credentials.ts";

export type SecretsDeps = RegenerateSecretDeps & ValidateCredentialsDeps;

/** Longer than any key or Secret ever issued. */
const CREDENTIAL_TEXT_MAX = 256;

const regenerateBody = object({
	overlap_seconds: optional(
		integer({
			min: 0,
			max: OVERLAP_SECONDS_MAX,
			description: "How long the old Secret still counts beside the new one; 0 unless given.",
		}),
	),
});
const validateBody = object({
	api_key: text({ max: CREDENTIAL_TEXT_MAX }),
	secret: secretText({ max: CREDENTIAL_TEXT_MAX }),
});
const validationSchema = object(
	{
		valid: boolean(),
		reason: optional(choice(REFUSAL_REASONS, { description: "Only when not valid." })),
		client: optional(apiClientSchema),
	},
	{ title: "CredentialsValidation" },
);

export function secretsEndpoints(deps: SecretsDeps) {
	const validate = createCredentialsValidator(deps);
	return {
		regenerate: endpoint<SignedIn>()({
			name: "regenerateApiClientSecret",
			summary: "Regenerate the Secret of an API client",
			description:
				"The new Secret is in this answer and never shown again. The old one dies at once, or after `overlap_seconds`; at most two count at any time, so regenerating again during an overlap ends the oldest at once. Calls at the same moment are served one after the other, and the last one's Secret stays.",
			ids: { id: "api_client.not_found" },
			body: regenerateBody,
			answer: data(200, apiClientWithSecretSchema, "The API client with its new Secret."),
			errors: ["api_client.unclaimed"],
			secret: true,
			async handle({ caller, ids: { id }, body, request }) {
				const context = adminContext(caller, request);
				const overlapSeconds = body.overlap_seconds ?? 0;
				const { client, secretPlain } = await regenerateSecret(deps, id as string, overlapSeconds, context);
				return toWireWithSecret(client, secretPlain, deps.clock());
			},
		}),

		validate: endpoint<SignedIn>()({
			name: "validateApiClientCredentials",
			summary: "Validate client credentials",
			description:
				"Whether the key and the Secret belong together and would be accepted now, from any address; during an overlap both Secrets do. Wrong credentials are an answer, not an error: 200 with `valid: false`. `disabled` and `expired` are told only with a right Secret; a key of nobody answers `invalid_credentials`, after the same work. Not counted as a use of the client. At most 10 calls a minute from one address.",
			body: validateBody,
			answer: data(200, validationSchema, "The verdict, and the client when it is valid."),
			async handle({ caller, body }) {
				const given = { apiKey: body.api_key, secretPlain: body.secret };
				const validation = await validate(caller.tenantId, given);
				if (!validation.valid) return { valid: false, reason: validation.reason };
				return { valid: true, client: toWireApiClient(validation.client, deps.clock()) };
			},
		}),
	};
}
