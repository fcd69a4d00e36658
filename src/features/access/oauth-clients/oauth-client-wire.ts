// The wire form of OAuth clients.

import {
	CLAIM_NAME,
	CLAIM_NAME_MAX,
	CLAIM_SOURCES,
	CLAIM_VALUE_MAX,
	CLIENT_AUTH_METHODS,
	CLIENT_PROFILES,
	ID_TOKEN_ALGS,
	OAUTH_CLIENT_TYPES,
	type OAuthClient,
	PKCE_POLICIES,
	RESPONSE_MODES,
} from "../../../domain/oauth-client.ts";
import {
	anyObject,
	boolean,
	choice,
	type Infer,
	list,
	nullable,
	object,
	optional,
	plain,
	text,
	time,
} from "../../../http/describe/schema.ts";
import { toWire } from "../../../http/describe/wire-form.ts";
import { shownAudiences, toWireAudiences } from "./assertion-audience-wire.ts";
import { toWireWorkloads, workloadSchema } from "./workload-wire.ts";

export const claimSchema = object(
	{
		name: text({ max: CLAIM_NAME_MAX, pattern: CLAIM_NAME.source, examples: ["tenant_code"] }),
		from: choice(CLAIM_SOURCES, {
			description:
				"`attribute`: the value names one of the user. `group`: true if the user is in the group with this name, otherwise the claim is absent. `constant`: the value itself.",
		}),
		value: text({ max: CLAIM_VALUE_MAX, examples: ["acme"] }),
	},
	{ title: "ClientClaim" },
);
const fields = {
	client_id: plain({
		format: "uuid",
		description: "The application's id.",
		examples: ["01980000-0000-7000-8000-000000000000"],
	}),
	tenant_id: plain({ format: "uuid" }),
	type: choice(OAUTH_CLIENT_TYPES),
	auth_method: choice(CLIENT_AUTH_METHODS, {
		description: "How the client authenticates at the token endpoint.",
	}),
	post_logout_redirect_uris: list(plain()),
	backchannel_logout_uri: nullable(plain()),
	first_party: boolean("Whether users are not asked for consent."),
	id_token_alg: choice(ID_TOKEN_ALGS),
	pkce: choice(PKCE_POLICIES, {
		description: "Whether its authorization requests must have a code challenge.",
	}),
	device_flow: boolean("Whether it may start device sign-ins (RFC 8628)."),
	response_modes: list(choice(RESPONSE_MODES), {
		description: "How the response of `/oauth/authorize` may return to it.",
	}),
	jwks: nullable(object({ keys: list(anyObject()) }, { description: "Its public keys." })),
	jwks_uri: nullable(plain()),
	resource: nullable(
		plain({
			description: "The URI that identifies the application as an API.",
			examples: ["https://api.example.com"],
		}),
	),
	allowed_resources: list(plain(), { description: "APIs for which the client may obtain tokens." }),
	acts_for_people: list(plain(), {
		description: "APIs at which the client may act for people who called it (RFC 8693).",
	}),
	workloads: list(workloadSchema, {
		description: "Whose tokens authenticate the client (RFC 7523, section 2.2).",
	}),
	assertion_audiences: shownAudiences,
	profile: choice(CLIENT_PROFILES),
	claims: list(claimSchema),
	secret_hint: plain('Last four characters of the secret, `""` without one.'),
	secret_created_at: nullable(time()),
	previous_secret_expires_at: nullable(
		time("The previous secret is valid until then; null if it became invalid immediately."),
	),
	created_at: time(),
	updated_at: time(),
};

export const oauthClientSchema = object(fields, { title: "OAuthClient" });

/** The response of put and regenerate. */
export const oauthClientWithSecretSchema = object(
	{
		...fields,
		client_secret: optional(
			plain({
				description: "Returned only in the response that creates it.",
				examples: ["ocs_0mW7Zq2xT5vB9kN1cR8sYd4LfP6hJ3gEaQ-uIoXtVbM"],
			}),
		),
	},
	{ title: "OAuthClientWithSecret" },
);

const toWireForm = toWire(oauthClientSchema);

export function toWireOAuthClient({
	applicationId,
	jwks,
	workloads,
	assertionAudiences,
	claims,
	...client
}: OAuthClient): Infer<typeof oauthClientSchema> {
	return toWireForm({
		...client,
		clientId: applicationId,
		jwks: jwks && { keys: [...jwks.keys] },
		workloads: toWireWorkloads(workloads),
		assertionAudiences: toWireAudiences(assertionAudiences),
		claims: claims.map((claim) => ({ ...claim })),
	});
}

/** @param secretPlain undefined if no secret was created */
export function toWireWithSecret(
	client: OAuthClient,
	secretPlain: string | undefined,
): Infer<typeof oauthClientWithSecretSchema> {
	return { ...toWireOAuthClient(client), ...(secretPlain !== undefined && { client_secret: secretPlain }) };
}
