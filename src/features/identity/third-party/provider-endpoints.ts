// `/identity-providers`: administrators manage the identity providers of their tenant.

import { ACR_MAX, MFA_ACR_MAX } from "../../../domain/assertion.ts";
import type { Administrator } from "../../../domain/caller.ts";
import {
	AUDIENCE_MAX,
	CLIENT_ID_MAX,
	CLIENT_SECRET_MAX,
	EMAIL_DOMAINS,
	type IdentityProvider,
	ISSUER_KEYS_MAX,
	ISSUER_KEYS_MAX_BYTES,
	ISSUER_MAX,
	ISSUER_USES,
	identityProviderNotFound,
	PROVIDER,
	PROVIDER_KINDS,
	PROVIDER_NAME_MAX,
	PROVIDERS_MAX,
	SUBJECT_CLAIMS,
} from "../../../domain/identity-provider.ts";
import type { InPerson } from "../../../domain/session.ts";
import { ATTEMPT_SECONDS } from "../../../domain/third-party-attempt.ts";
import { data, empty, endpoint, page, withCookie } from "../../../http/describe/endpoint.ts";
import {
	anyObject,
	boolean,
	choice,
	exactText,
	list,
	nameText,
	nullable,
	object,
	optional,
	plain,
	secretText,
	text,
	time,
} from "../../../http/describe/schema.ts";
import { fromWire, toWire } from "../../../http/describe/wire-form.ts";
import { found } from "../../../kernel/error.ts";
import { managedBy } from "../../access/configuration/rows-wire.ts";
import type { Platform } from "../../platform.ts";
import { createProvider, deleteProvider, NEW_PROVIDER, updateProvider } from "./manage-provider.ts";
import { startedTestSchema, startTest, testSchema, toWireLastTest } from "./provider-test-wire.ts";
import { createCallbacks } from "./sign-in-urls.ts";

export const setUpSchema = object(
	{
		domain: plain({ examples: ["example.com"] }),
		tested_by: plain("The address that signed in last; empty before the first trial."),
		tested_at: nullable(time()),
		finished_at: nullable(time("Null before the organization has finished.")),
		expires_at: time("Until then, the organization can change the provider, unless it has finished."),
	},
	{ title: "ProviderSetUp", description: "What an organization set up with a link; null without one." },
);
export const toWireSetUp = toWire(setUpSchema);
const identityProviderSchema = object(
	{
		id: plain({ format: "uuid" }),
		tenant_id: plain({ format: "uuid" }),
		provider: plain("Slug of the provider in paths and linked accounts."),
		kind: choice(PROVIDER_KINDS),
		display_name: plain(),
		uses: list(choice(ISSUER_USES), { description: "What the tenant trusts it for." }),
		client_id: nullable(plain("Null only without the use `sign_in`.")),
		client_secret_set_at: nullable(time("The secret itself is never returned.")),
		issuer: nullable(plain("Null if the kind has a fixed address.")),
		jwks_uri: nullable(plain("Where its keys are, if not where its discovery document says.")),
		jwks: nullable(object({ keys: list(anyObject()) }, { description: "Its pasted public keys." })),
		jwks_set_at: nullable(time("How old the pasted keys are.")),
		audience: nullable(
			plain("The audience of its tokens for workloads; null for the issuer of this service."),
		),
		subject_claim: choice(SUBJECT_CLAIMS, { description: "The claim that identifies its users." }),
		mfa_acr: list(plain(), {
			description: "The values of `acr` in its assertions that mean a sign-in with two factors.",
		}),
		email_domains: choice(EMAIL_DOMAINS, { description: "For which email addresses its word counts." }),
		enabled: boolean(),
		sign_up: boolean(),
		last_test: nullable(testSchema),
		set_up: optional(nullable(setUpSchema)),
		callback_url: plain("The redirect URI to register at the provider."),
		created_by: nullable(plain({ format: "uuid" })),
		managed_by: managedBy,
		created_at: time(),
		updated_at: time(),
	},
	{ title: "IdentityProvider" },
);

const displayName = nameText({ max: PROVIDER_NAME_MAX, description: "The name on buttons, e.g. `Google`." });
const clientId = exactText({ max: CLIENT_ID_MAX, description: "The client id that the provider issued." });
const clientSecret = secretText({
	max: CLIENT_SECRET_MAX,
	description: "The client secret that the provider issued. Stored encrypted and never returned.",
});
const optionalFields = {
	issuer: optional(
		nullable(
			text({
				max: ISSUER_MAX,
				description:
					"An https URL, exactly as the provider's discovery document names it, which `oidc` and `gitlab` compare when the issuer is saved. Required for `oidc`. Optional for `microsoft`, `gitlab`, `github`, and `feishu`, for a self-hosted or single-tenant address. Its host must be on the public Internet or in a network that the operator allows.",
				examples: ["https://login.example.com"],
			}),
		),
	),
	uses: optional(
		list(choice(ISSUER_USES), {
			min: 1,
			max: ISSUER_USES.length,
			unique: true,
			description:
				"What the tenant trusts it for. `sign_in` (default): users sign in with it, which needs `client_id` and `client_secret`. `workloads`, for `oidc` only: OAuth clients and admin keys authenticate with its tokens (their `workloads`). `assertions`, for `oidc` only: OAuth clients get tokens for its users in exchange for its identity assertions.",
		}),
	),
	jwks_uri: optional(
		nullable(
			text({
				max: ISSUER_MAX,
				description:
					"For `workloads` and `assertions`: where the keys are, instead of where the discovery document says. An https URL whose host is on the public Internet or in a network that the operator allows for webhooks.",
			}),
		),
	),
	jwks: optional(
		nullable(
			object(
				{ keys: list(anyObject(), { min: 1, max: ISSUER_KEYS_MAX }) },
				{
					description: `For \`workloads\` and \`assertions\`, of an issuer that this service cannot reach: its public keys (RFC 7517), at most ${ISSUER_KEYS_MAX_BYTES / 1_024} KiB. Replace them before the issuer signs with another key.`,
				},
			),
		),
	),
	audience: optional(
		nullable(
			exactText({
				max: AUDIENCE_MAX,
				description: "For `workloads`: the `aud` of its tokens. Default: the issuer of this service.",
			}),
		),
	),
	subject_claim: optional(
		choice(SUBJECT_CLAIMS, {
			description:
				"The claim of ID tokens and assertions that identifies a user. Default: `sub`. `oid`, for `oidc` and `microsoft` only, is for Microsoft Entra ID, where `sub` differs between applications. It cannot change while accounts are linked.",
		}),
	),
	mfa_acr: optional(
		list(exactText({ max: ACR_MAX }), {
			max: MFA_ACR_MAX,
			unique: true,
			description:
				"For `assertions`: the values of `acr` that mean a sign-in with two factors, beside `mfa` in `amr`. Default: none.",
			examples: [["http://schemas.openid.net/pape/policies/2007/06/multi-factor"]],
		}),
	),
	email_domains: optional(
		choice(EMAIL_DOMAINS, {
			description:
				"For which email addresses its word counts, so that a user is joined by address or created with one. `any`: all that it says are verified. `verified`: only those in domains that were verified for it (`/domains`), so that other users are linked in person or by an administrator; also with `any` once a domain is verified for it. Default: `verified` with the use `assertions`, otherwise `any`.",
		}),
	),
	enabled: optional(
		boolean(
			"Whether it is trusted: false ends sign-in, workloads, and assertions immediately, with the sessions that began with its assertions. Default: true.",
		),
	),
	sign_up: optional(boolean("Whether an unknown user gets a new account. Default: false.")),
};
const newFields = {
	provider: text({
		max: 64,
		pattern: PROVIDER.source,
		description: "Slug, unique in the tenant. It cannot change.",
		examples: ["google"],
	}),
	kind: choice(PROVIDER_KINDS),
	display_name: displayName,
	client_id: optional(clientId),
	...optionalFields,
};
const patchFields = {
	display_name: optional(displayName),
	client_id: optional(clientId),
	...optionalFields,
};
const force = optional(
	boolean(
		"Whether to save an issuer that cannot be reached. One that differs from its document, or whose document is unusable, is refused anyway. Default: false.",
	),
);
/** Without the secret and `force`. */
const fromNew = fromWire(object(newFields));
const fromPatch = fromWire(object(patchFields));
const toWireForm = toWire(identityProviderSchema);
const ids = { id: "identity_provider.not_found" } as const;

export function identityProvidersEndpoints(platform: Platform) {
	const { identityProviders, setUpLinks } = platform.db.stores;
	const callbackOf = createCallbacks(platform);
	const toWireProvider = async (provider: IdentityProvider) =>
		toWireForm({
			...provider,
			...toWireLastTest(provider),
			jwks: provider.jwks && { keys: [...provider.jwks.keys] },
			callbackUrl: (await callbackOf(provider)).url,
		});
	return {
		list: endpoint<Administrator>()({
			name: "listIdentityProviders",
			summary: "List identity providers",
			response: page(identityProviderSchema, "Providers of the tenant, newest first."),
			async handle({ caller, page: pageQuery }) {
				const { items, total } = await identityProviders.list(caller.tenantId, pageQuery);
				return { items: await Promise.all(items.map(toWireProvider)), total };
			},
		}),

		create: endpoint<InPerson>()({
			name: "createIdentityProvider",
			summary: "Create an identity provider",
			description: `Register the returned \`callback_url\` at the provider. The service reads the discovery document of the issuer, and refuses an issuer that is not exactly the one in it (\`issuer.mismatch\`, with the right value). Client id and secret are first used by a sign-in. If a platform_admin already has an account under the slug, only a platform_admin may create the provider (403). A tenant can have at most ${PROVIDERS_MAX}.`,
			body: object({ ...newFields, client_secret: optional(clientSecret), force }),
			response: data(201, identityProviderSchema, "The new provider, without its secret."),
			errors: [
				"issuer.mismatch",
				"issuer.taken",
				"identity_provider.slug_taken",
				"identity_provider.too_many",
			],
			async handle({ caller, body }) {
				const { client_secret: clientSecretPlain, force = false } = body;
				const newProvider = { ...NEW_PROVIDER, ...fromNew(body), clientSecretPlain, force };
				return toWireProvider(await createProvider(platform, newProvider, caller));
			},
		}),

		get: endpoint<Administrator>()({
			name: "getIdentityProvider",
			summary: "Get an identity provider",
			ids,
			response: data(200, identityProviderSchema, "The provider, without its secret."),
			async handle({ caller, ids: { id } }) {
				const provider = found(
					await identityProviders.findById(caller.tenantId, id),
					identityProviderNotFound,
				);
				const link = await setUpLinks.findByIssuer(caller.tenantId, id);
				return { ...(await toWireProvider(provider)), set_up: link === undefined ? null : toWireSetUp(link) };
			},
		}),

		update: endpoint<InPerson>()({
			name: "updateIdentityProvider",
			summary: "Change an identity provider",
			description:
				"Absent fields are unchanged. A `client_secret` replaces the old one immediately. The slug and kind cannot change. The issuer cannot change while accounts are linked (409), because at another issuer the same ids belong to other users; a new one is compared with its discovery document as at creation. If a platform_admin has an account at the provider, only a platform_admin may add the use `assertions`, or change the keys of assertions (403). Nor can it change, or lose the use `workloads`, while workloads of OAuth clients or admin keys name it.",
			ids,
			body: object({ ...patchFields, client_secret: optional(clientSecret), force }),
			response: data(200, identityProviderSchema, "The updated provider."),
			errors: ["issuer.mismatch", "identity_provider.in_use", "issuer.in_use", "issuer.taken", "set_up.open"],
			async handle({ caller, ids: { id }, body }) {
				const { client_secret: clientSecretPlain, force = false } = body;
				const patch = { ...fromPatch(body), clientSecretPlain, force };
				return toWireProvider(await updateProvider(platform, id, patch, caller));
			},
		}),

		test: endpoint<InPerson>()({
			name: "testIdentityProvider",
			summary: "Test an identity provider",
			description: `Reads discovery document and keys of the provider now, and starts a trial sign-in, also for a disabled provider. The browser returns to the provider's page in the console with the fragment \`#tested\`, and the result is in \`last_test\`. The trial creates no account and no session, links nothing, and is no failed sign-in. Of an issuer without the use \`sign_in\`, only the keys are read. Sets a cookie that identifies the browser: only this browser can return from the provider, within ${ATTEMPT_SECONDS / 60} minutes.`,
			ids,
			response: withCookie(data(200, startedTestSchema, "The URL for the trial sign-in, or what is wrong.")),
			secret: true,
			async handle({ caller, ids: { id }, request }) {
				return await startTest({ ...platform, callbackOf }, id, caller, `/console/providers/${id}`, request);
			},
		}),

		remove: endpoint<InPerson>()({
			name: "deleteIdentityProvider",
			summary: "Delete an identity provider",
			description:
				"Refused while accounts of the provider are linked, workloads of OAuth clients or admin keys name it, or its assertions signed users in who are still signed in (409): disable the provider instead. Sign-ins in progress fail.",
			ids,
			response: empty(204, "The provider is deleted."),
			errors: ["identity_provider.in_use", "issuer.in_use"],
			handle: ({ caller, ids: { id } }) => deleteProvider(platform, id, caller),
		}),
	};
}
