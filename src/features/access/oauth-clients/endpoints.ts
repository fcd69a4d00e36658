// `/applications/{id}/oauth-client`: registers an application as a client of OpenID Connect and OAuth.

import type { Administrator } from "../../../domain/caller.ts";
import {
	ALLOWED_RESOURCES_MAX,
	CLIENT_AUTH_METHODS,
	CLIENT_CLAIMS_MAX,
	CLIENT_JWKS_MAX,
	CLIENT_PROFILES,
	ID_TOKEN_ALGS,
	OAUTH_CLIENT_TYPES,
	OAUTH_URL_MAX,
	PKCE_POLICIES,
	POST_LOGOUT_REDIRECT_URIS_MAX,
	RESOURCE_MAX,
	RESPONSE_MODES,
} from "../../../domain/oauth-client.ts";
import { data, empty, endpoint, putData } from "../../../http/describe/endpoint.ts";
import {
	anyObject,
	boolean,
	choice,
	type Infer,
	list,
	nullable,
	object,
	optional,
	text,
} from "../../../http/describe/schema.ts";
import { fromWire } from "../../../http/describe/wire-form.ts";
import { overlapInput } from "../../partners/steps/overlap-wire.ts";
import type { Platform } from "../../platform.ts";
import { givenAudiences, toAudiences } from "./assertion-audience-wire.ts";
import { deleteOAuthClient, getOAuthClient, regenerateOAuthSecret } from "./manage-oauth-client.ts";
import {
	claimSchema,
	oauthClientSchema,
	oauthClientWithSecretSchema,
	toWireOAuthClient,
	toWireWithSecret,
} from "./oauth-client-wire.ts";
import { putOAuthClient, updateOAuthClient } from "./put-oauth-client.ts";
import { givenWorkloads, toWorkloads } from "./workload-wire.ts";

const CALLED =
	"An https URL whose host is on the public Internet or in a network that the operator allows for webhooks.";
const type = choice(OAUTH_CLIENT_TYPES, {
	description:
		"`web`: a server that can keep a secret or a key. `spa`: an application in the browser. `native`: an application on a user's device. `service`: an application that acts on its own behalf and does not sign users in.",
});
const settings = {
	auth_method: optional(
		choice(CLIENT_AUTH_METHODS, {
			description:
				"`none` for `spa` and `native`, which cannot keep a secret. `web` and `service` use another method (`workload`: the token of a platform, see `workloads`), by default `client_secret_basic`.",
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
		nullable(text({ max: OAUTH_URL_MAX, description: `Where the service sends logout tokens. ${CALLED}` })),
	),
	first_party: optional(
		boolean(
			"Whether you operate the application yourself, so that users are not asked for consent, except once per browser session by a `native` client. Default false.",
		),
	),
	id_token_alg: optional(choice(ID_TOKEN_ALGS, { description: `Default ${ID_TOKEN_ALGS[0]}.` })),
	pkce: optional(
		choice(PKCE_POLICIES, {
			description:
				"Default `required`; the others are for `web` only. `optional`: an authorization request without a code challenge must have a `nonce` of 1 to 255 characters and the scope `openid`. `off`: it must have a `state`, and codes are valid for 30 seconds. Only for programs that can send neither.",
		}),
	),
	device_flow: optional(
		boolean(
			"Allows device sign-ins (RFC 8628), for `native` only. Default false, because anyone who knows the client ID can start one.",
		),
	),
	profile: optional(
		choice(CLIENT_PROFILES, {
			description:
				"`fapi2`: the FAPI 2.0 Security Profile, for `web` with `private_key_jwt`. Its authorization requests are pushed, its tokens are bound to a key by DPoP, its ID tokens are signed with ES256 or PS256, and its refresh tokens are not rotated. A setting that contradicts returns 400. Default `none`.",
		}),
	),
	claims: optional(
		list(claimSchema, {
			max: CLIENT_CLAIMS_MAX,
			description:
				"Further claims of ID tokens and UserInfo. Names of registered claims are refused. Attributes: `username`, `email`, `display_name`, `locale`, `avatar_url`, and `department` and `manager` of the user's directory; an unset one is absent.",
		}),
	),
	response_modes: optional(
		list(choice(RESPONSE_MODES), {
			max: RESPONSE_MODES.length,
			unique: true,
			description:
				"How the response of `/oauth/authorize` may return to it: `query` and `form_post` for `web`, `query` and `fragment` for `spa`, `query` for `native`. Default: all modes of the type.",
			examples: [["query", "form_post"]],
		}),
	),
	jwks: optional(
		nullable(
			object(
				{ keys: list(anyObject(), { min: 1, max: CLIENT_JWKS_MAX }) },
				{
					description:
						"The public keys for `private_key_jwt` (RFC 7517), unless `jwks_uri` is given: P-256, Ed25519, or RSA of 2048 to 4096 bits. Multiple keys each require a `kid`.",
				},
			),
		),
	),
	jwks_uri: optional(
		nullable(
			text({ max: OAUTH_URL_MAX, description: `Where the application publishes its keys. ${CALLED}` }),
		),
	),
	resource: optional(
		nullable(
			text({
				max: RESOURCE_MAX,
				description:
					"Identifies the application as an API (RFC 8707): an absolute URI without a fragment that no other application of the tenant uses and that is not a URL of this service. If another tenant already uses it, tokens are refused (`invalid_target`) until a platform admin assigns it (`PUT /tenants/{id}/resources`).",
				examples: ["https://api.example.com"],
			}),
		),
	),
	allowed_resources: optional(
		list(text({ max: RESOURCE_MAX }), {
			max: ALLOWED_RESOURCES_MAX,
			unique: true,
			description: "Resources of the tenant's applications for which the client may obtain tokens.",
			examples: [["https://api.example.com"]],
		}),
	),
	acts_for_people: optional(
		list(text({ max: RESOURCE_MAX }), {
			max: ALLOWED_RESOURCES_MAX,
			unique: true,
			description:
				"Those of `allowed_resources` at which the client may act for people who called it: it exchanges their access token for one for that API (RFC 8693). It needs a `resource` of its own, and a secret or a key. Without an entry, tokens that were exchanged for it end at once. Default: none.",
			examples: [["https://billing.example.com"]],
		}),
	),
	workloads: optional({
		...givenWorkloads,
		description:
			"For `workload`, at least one: whose tokens authenticate the client (RFC 7523, section 2.2). Such a client has no secret.",
	}),
	assertion_audiences: optional(givenAudiences),
};
const putBody = object({ type, ...settings });
const patchBody = object({ type: optional(type), ...settings });
const regenerateBody = object({
	overlap_seconds: overlapInput("How long the old secret remains valid; default 0."),
});
const toFields = fromWire(putBody);
const toFieldChanges = fromWire(patchBody);
const toSettings = (body: Infer<typeof putBody>) => ({
	...toFields(body),
	workloads: toWorkloads(body.workloads),
	assertionAudiences: toAudiences(body.assertion_audiences),
});
const toChanges = (body: Infer<typeof patchBody>) => ({
	...toFieldChanges(body),
	workloads: toWorkloads(body.workloads),
	assertionAudiences: toAudiences(body.assertion_audiences),
});

const ids = { id: "application.not_found" } as const;

export function oauthClientsEndpoints(platform: Platform) {
	return {
		put: endpoint<Administrator>()({
			name: "putOAuthClient",
			summary: "Register an application as an OAuth client",
			description:
				"Makes the application an OAuth client, or replaces its settings: absent fields get their defaults, except that `id_token_alg`, `pkce`, `device_flow`, and `response_modes` keep their values while `type` stays the same, unless `profile` is `fapi2`, which admits one value of each. The `redirect_uris` of the application define where sign-in may redirect to. Only the response that creates a secret contains it: the first one, or one that changes `auth_method` to a method with a secret. A change of `type` or of the kind of credential revokes the client's codes, tokens, and consents; other changes keep them.",
			ids,
			body: putBody,
			response: putData(oauthClientWithSecretSchema, {
				created: "The new OAuth client, with its secret if it has one.",
				replaced: "The OAuth client with its new settings.",
			}),
			errors: ["oauth_client.resource_taken", "application.is_program"],
			secret: true,
			async handle({ caller, ids: { id }, body }) {
				const { client, isNew, secretPlain } = await putOAuthClient(platform, id, toSettings(body), caller);
				return { isNew, value: toWireWithSecret(client, secretPlain) };
			},
		}),

		patch: endpoint<Administrator>()({
			name: "updateOAuthClient",
			summary: "Change settings of an OAuth client",
			description:
				"Absent fields keep their values. A change of `type` sets the settings that depend on it to the defaults of the new type: `auth_method`, `id_token_alg`, `pkce`, `device_flow`, and `response_modes`. A new `jwks` replaces `jwks_uri`, and the reverse. Otherwise like the registration with PUT.",
			ids,
			body: patchBody,
			response: data(
				200,
				oauthClientWithSecretSchema,
				"The OAuth client with its new settings, and with its secret if the change created one.",
			),
			errors: ["oauth_client.not_found", "oauth_client.resource_taken", "application.is_program"],
			secret: true,
			async handle({ caller, ids: { id }, body }) {
				const changes = toChanges(body);
				const { client, secretPlain } = await updateOAuthClient(platform, id, changes, caller);
				return toWireWithSecret(client, secretPlain);
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
			summary: "Delete the OAuth client of an application",
			description: "Revokes the client's codes, tokens, and consents immediately. The application remains.",
			ids,
			response: empty(204, "The OAuth client is deleted."),
			errors: ["oauth_client.not_found", "application.is_program"],
			handle: ({ caller, ids: { id } }) => deleteOAuthClient(platform, id, caller),
		}),

		regenerate: endpoint<Administrator>()({
			name: "regenerateOAuthClientSecret",
			summary: "Regenerate the secret of an OAuth client",
			description:
				"Only this response contains the new secret. The old secret becomes invalid immediately, or after `overlap_seconds`. At most two secrets are valid at any time, so regenerating during an overlap invalidates the oldest immediately. Tokens remain valid. Concurrent calls run one after the other, and the secret of the last one remains.",
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
