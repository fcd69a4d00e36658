// What the OpenAPI document contains in addition to the routes: tags, example values, and webhook events.

import { WEBHOOK_DESCRIPTIONS, WEBHOOK_HEADERS } from "../features/record/webhooks/event-wire.ts";
import type { ApiDescription } from "../http/openapi/openapi.ts";

/** Every group of the route map: a row with another tag does not compile. */
const TAGS = {
	Health: { description: "The state of this process, for load balancers and operators." },
	"Access requests": {
		description:
			"An outside developer applies for an API client; a reviewer decides (Requests); the applicant claims the Secret once.",
	},
	Requests: {
		description: "The queue of reviewers: access requests of partners, and requests for programs.",
	},
	Programs: {
		description:
			"Clients that use the URL of their metadata document as their name: users request them, and reviewers decide. The reviewed document is pinned.",
	},
	Authentication: {
		description: "Registration, sign-in, second factors, refresh, and account recovery.",
		guide: "/docs/second-factors",
	},
	OAuth: {
		description: "The OpenID provider, in the formats of OAuth 2.0 and OpenID Connect.",
		guide: "/docs/openid",
	},
	"Third-party login": {
		description: "Sign-in at another identity provider.",
		guide: "/docs/third-party-login",
	},
	Directories: {
		description: "People and groups that an identity provider fills by SCIM 2.0.",
		guide: "/docs/directories",
	},
	Users: { description: "The caller's own account, and accounts as administrators manage them." },
	Applications: { description: "Applications, their roles, and who may use them." },
	Gates: { description: "Rules in front of your own APIs and sites, decided for a proxy or a middleware." },
	Groups: { description: "Groups of users that share grants." },
	Reviews: {
		description:
			"Reviewers confirm or end what users, API clients, programs, and admin keys may do; what has no decision ends, or stays.",
	},
	"Access decisions": { description: "Why a user may or may not use an application." },
	"API clients": { description: "Credentials of partner systems for the open APIs." },
	"Open APIs": { description: "For partner systems: each request is signed.", guide: "/docs/signing" },
	"Admin keys": {
		description: "Keys for scripts that administer a tenant.",
		guide: "/docs/automation",
	},
	Webhooks: { description: "Signed notifications of changes.", guide: "/docs/webhooks" },
	Branding: { description: "How mails and pages present a tenant." },
	Configuration: {
		description: "The configuration of a tenant as one file: export, plan, and apply.",
		guide: "/docs/configuration-as-code",
	},
	Tenants: { description: "Units of one installation, each with its own users, applications, and clients." },
	Mails: { description: "Mails of the tenant: sent, waiting, and failed, with the reason." },
	Statistics: {
		description: "Counts of sign-ins, calls, and refusals over time, and of what needs attention.",
	},
	Audit: { description: "Who did what and when, append-only." },
} as const satisfies ApiDescription["tags"];

export type ApiTag = keyof typeof TAGS;

/** The groups of routes by which people sign in. */
export const SIGN_IN_TAGS: ReadonlySet<string> = new Set<ApiTag>([
	"Authentication",
	"OAuth",
	"Third-party login",
]);

/** Example values by field name. The `examples` of a schema take precedence; other names are shown as words. */
const EXAMPLES: Readonly<Record<string, unknown>> = {
	access_token: "eyJhbGciOiJFUzI1NiIsInR5cCI6ImF0K2p3dCJ9.e30.c2ln",
	action: "user.updated",
	actor: "user:01980000-0000-7000-8000-000000000000",
	api_key: "ak_7d1fZ0x9Qm4vK2sT8bYc3LwN",
	asked_program_id: "V1StGXR8_Z5jdHi6B-myT",
	avatar_url: "https://people.example.com/ada.png",
	backchannel_logout_uri: "https://app.example.com/backchannel-logout",
	callback_url: "https://auth.example.com/api/v1/auth/third-party/google/callback",
	cidr: "203.0.113.0/24",
	client_id: "1034-latchkey.apps.example.com",
	code: "482913",
	company: "Example Ltd",
	description: "For the order desk.",
	domain: "example.com",
	digest: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
	display_name: "Ada Lovelace",
	authorization_url: "https://accounts.example.com/authorize?client_id=1034&state=b7Yq",
	homepage_url: "https://app.example.com",
	interaction_id: "V1StGXR8_Z5jdHi6B-myT",
	ip: "203.0.113.7",
	ip_allowlist: ["203.0.113.7", "2001:db8::/32"],
	issuer: "https://login.example.com",
	jwks_uri: "https://app.example.com/jwks.json",
	last_used_ip: "203.0.113.7",
	logo_url: "https://app.example.com/logo.png",
	method: "POST",
	mfa_token: "mt_4bT0qYh2Wm8xV1nC6sRkE9uJ3pLdZaGf",
	overlap_seconds: 3600,
	password: "correct horse battery staple",
	new_password: "correct horse battery staple",
	current_password: "an old password that was good",
	permission: "orders:read",
	permissions: ["orders:read"],
	post_logout_redirect_uris: ["https://app.example.com/signed-out"],
	provider: "google",
	provider_user_id: "110169484474386276334",
	purpose: "Read orders once an hour.",
	redirect_uri: "https://app.example.com/signed-in",
	redirect_uris: ["https://app.example.com/signed-in"],
	refresh_token: "rt_Jx0cQ7yP2dV9mK4wT1bZ8sLfN6hR3gEa",
	request_id: "k3v9q1zx-2f",
	allowed_resources: ["https://api.example.com"],
	roles: ["editor"],
	scheme: "https",
	secret: "sk_0mW7Zq2xT5vB9kN1cR8sYd4LfP6hJ3gEaQ-uIoXtVbM",
	secret_hint: "tVbM",
	sign_out_id: "Uakgb_J5m9g-0JDMbcJqLJpZ4vXw2cRt",
	key_id: "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k",
	slug: "orders",
	target: "user:01980000-0000-7000-8000-000000000000",
	token: "b7Yq0mW7Zq2xT5vB9kN1cR8sYd4LfP6hJ3gEaQuIoXt",
	user_agent: "Firefox on Linux",
	username: "ada",
	version: "0.3.0",
};

/** One of several fields is required, or a field depends on another one. */
const SENT_FIELDS: Readonly<Record<string, readonly string[]>> = {
	answerSecondFactor: ["code"],
	startThirdPartyLink: ["password"],
	createIdentityProvider: ["issuer", "client_id", "client_secret"],
	requestMyEmailChange: ["current_password"],
	createUser: ["password"],
	evaluateAccesses: ["subject", "action", "resource"],
	issueOAuthTokens: ["client_id", "code", "redirect_uri", "code_verifier"],
	pushAuthorization: [
		"client_id",
		"response_type",
		"redirect_uri",
		"code_challenge",
		"code_challenge_method",
	],
	authorizeDevice: ["client_id", "scope"],
};

export const API_DESCRIPTION: ApiDescription = {
	title: "Latchkey",
	description:
		"Authentication and authorization over REST: users, applications, and signed partner requests. The description of an error response lists its codes.",
	tags: TAGS,
	examples: EXAMPLES,
	sentFields: SENT_FIELDS,
	webhooks: WEBHOOK_DESCRIPTIONS,
	webhookHeaders: WEBHOOK_HEADERS,
};
