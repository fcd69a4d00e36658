// `/applications/{id}/oauth-client`: the application as a client of OpenID Connect and OAuth.

import type { Administrator } from "../../../domain/caller.ts";
import { OVERLAP_SECONDS_MAX } from "../../../domain/client-secret.ts";
import {
	ALLOWED_RESOURCES_MAX,
	CLIENT_AUTH_METHODS,
	CLIENT_JWKS_MAX,
	ID_TOKEN_ALGS,
	OAUTH_CLIENT_TYPES,
	OAUTH_URL_MAX,
	POST_LOGOUT_REDIRECT_URIS_MAX,
	RESOURCE_MAX,
} from "../../../domain/oauth-client.ts";
import { data, empty, endpoint, putData } from "../../../http/endpoint.ts";
import {
	anyObject,
	boolean,
	choice,
	integer,
	list,
	nullable,
	object,
	optional,
	text,
} from "../../../http/schema.ts";
import { fromWire } from "../../../http/wire-form.ts";
import type { Platform } from "../../platform.ts";
import { deleteOAuthClient, getOAuthClient, regenerateOAuthSecret } from "./manage-oauth-client.ts";
import {
	oauthClientSchema,
	oauthClientWithSecretSchema,
	toWireOAuthClient,
	toWireWithSecret,
} from "./oauth-client-wire.ts";
import { putOAuthClient } from "./put-oauth-client.ts";

const CALLED =
	"https; its host must be on the public Internet or in a network that the operator allows for webhooks.";
const putBody = object({
	type: choice(OAUTH_CLIENT_TYPES, {
		description:
			"`web`: a server that keeps a secret or a key; `spa`: an application in the browser; `native`: an application on a user's device; `service`: an application that acts for itself and signs no user in.",
	}),
	auth_method: optional(
		choice(CLIENT_AUTH_METHODS, {
			description:
				"`none` for `spa` and `native`, which keep no secret; another for `web` and `service`, by default `client_secret_basic`.",
		}),
	),
	post_logout_redirect_uris: optional(
		list(text({ max: OAUTH_URL_MAX }), {
			max: POST_LOGOUT_REDIRECT_URIS_MAX,
			description:
				"Where a browser may go after sign-out: absolute https URLs (http only on localhost, 127.0.0.1 and [::1]), compared exactly.",
			examples: [["https://app.example.com/signed-out"]],
		}),
	),
	backchannel_logout_uri: optional(
		nullable(text({ max: OAUTH_URL_MAX, description: `Where it hears of sign-outs. ${CALLED}` })),
	),
	first_party: optional(
		boolean({ description: "Operated by you: users are not asked for consent. Default false." }),
	),
	id_token_alg: optional(choice(ID_TOKEN_ALGS, { description: `Default ${ID_TOKEN_ALGS[0]}.` })),
	jwks: optional(
		nullable(
			object(
				{ keys: list(anyObject(), { min: 1, max: CLIENT_JWKS_MAX }) },
				{
					description:
						"Of `private_key_jwt`, where either this or `jwks_uri` is given: public keys (RFC 7517) on P-256 or Ed25519, or RSA of 2048 to 4096 bits; several have a `kid` each.",
				},
			),
		),
	),
	jwks_uri: optional(
		nullable(text({ max: OAUTH_URL_MAX, description: `Where it publishes its keys. ${CALLED}` })),
	),
	resource: optional(
		nullable(
			text({
				max: RESOURCE_MAX,
				description:
					"Names the application as an API (RFC 8707): an absolute URI without fragment that no other application has, in any tenant, and not an address of this service.",
				examples: ["https://api.example.com"],
			}),
		),
	),
	allowed_resources: optional(
		list(text({ max: RESOURCE_MAX }), {
			max: ALLOWED_RESOURCES_MAX,
			unique: true,
			description: "Resources of applications of the tenant for which it may get tokens.",
			examples: [["https://api.example.com"]],
		}),
	),
});
const regenerateBody = object({
	overlap_seconds: optional(
		integer({
			min: 0,
			max: OVERLAP_SECONDS_MAX,
			description: "How long the old secret remains valid; default 0.",
		}),
	),
});
const toSettings = fromWire(putBody);

const ids = { id: "application.not_found" } as const;

export function oauthClientsEndpoints(platform: Platform) {
	return {
		put: endpoint<Administrator>()({
			name: "putOAuthClient",
			summary: "Connect an application with OpenID Connect",
			description:
				"Makes the application an OAuth client, or replaces its settings: a field that is left out gets its default. The application's `redirect_uris` say where sign-in may redirect to. Only the response that created a secret contains it: the first one, or the one that changed `auth_method` to one with a secret. Another `type`, or another kind of proof, ends codes, tokens and consents that were given to the client; other changes leave them.",
			ids,
			body: putBody,
			response: putData(oauthClientWithSecretSchema, {
				created: "The new OAuth client, with its secret if it has one.",
				replaced: "The OAuth client with its new settings.",
			}),
			errors: ["oauth_client.resource_taken"],
			secret: true,
			async handle({ caller, ids: { id }, body }) {
				const { client, isNew, secretPlain } = await putOAuthClient(platform, id, toSettings(body), caller);
				return { isNew, value: toWireWithSecret(client, secretPlain) };
			},
		}),

		get: endpoint<Administrator>()({
			name: "getOAuthClient",
			summary: "Get the OAuth client of an application",
			ids,
			response: data(200, oauthClientSchema, "The OAuth client, without its secret."),
			errors: ["oauth_client.not_found"],
			handle: async ({ caller, ids: { id } }) =>
				toWireOAuthClient(await getOAuthClient(platform, caller.tenantId, id)),
		}),

		remove: endpoint<Administrator>()({
			name: "deleteOAuthClient",
			summary: "Disconnect an application from OpenID Connect",
			description:
				"Codes, tokens and consents of the client are revoked immediately. The application remains.",
			ids,
			response: empty(204, "The OAuth client is deleted."),
			errors: ["oauth_client.not_found"],
			handle: ({ caller, ids: { id } }) => deleteOAuthClient(platform, id, caller),
		}),

		regenerate: endpoint<Administrator>()({
			name: "regenerateOAuthClientSecret",
			summary: "Regenerate the secret of an OAuth client",
			description:
				"Only this response contains the new secret. The old one becomes invalid immediately, or after `overlap_seconds`; at most two are valid at any time, so regenerating during an overlap invalidates the oldest immediately. Tokens stay valid. Concurrent calls run one after the other, and the last one's secret remains.",
			ids,
			body: regenerateBody,
			response: data(200, oauthClientWithSecretSchema, "The OAuth client with its new secret."),
			errors: ["oauth_client.not_found", "oauth_client.no_secret"],
			secret: true,
			async handle({ caller, ids: { id }, body }) {
				const overlapSeconds = body.overlap_seconds ?? 0;
				const { client, secretPlain } = await regenerateOAuthSecret(platform, id, overlapSeconds, caller);
				return toWireWithSecret(client, secretPlain);
			},
		}),
	};
}
