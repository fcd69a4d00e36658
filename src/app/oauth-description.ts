// Describes the endpoints of the OpenID provider for the OpenAPI document: docs/openid.md explains them.

import { MULTI_FACTOR_ACR } from "../domain/openid-provider.ts";
import { SIGN_OUT_PARAMETERS } from "../features/identity/oauth/request-sign-out.ts";
import type { MountDescription } from "../http/describe/mount-description.ts";
import {
	anyObject,
	boolean,
	choice,
	exactText,
	integer,
	list,
	type ObjectSchema,
	object,
	optional,
	plain,
	type Schema,
} from "../http/describe/schema.ts";

const VALUE_MAX = 8_192;
/** One parameter of OAuth: optional text, compared exactly. */
const value = (description: string, example?: string) =>
	optional(exactText({ max: VALUE_MAX, description, ...(example !== undefined && { examples: [example] }) }));
const required = (description: string, example: string): Schema<string> =>
	exactText({ max: VALUE_MAX, description, examples: [example] });

const CLIENT_ID = "The application's id.";
const CLIENT_ID_EXAMPLE = "01980000-0000-7000-8000-000000000000";
const SCOPE = "Scopes, separated by spaces: of OpenID Connect, and permissions of the APIs in `resource`.";
const RESOURCE = "The URI of the API that the token is for; may be repeated.";

const AUTHORIZATION = object(
	{
		client_id: required(CLIENT_ID, CLIENT_ID_EXAMPLE),
		response_type: choice(["code"], { description: "The flow: authorization code." }),
		redirect_uri: required(
			"One of the application's redirect URIs, exactly.",
			"https://app.example.com/signed-in",
		),
		scope: value(SCOPE, "openid profile email"),
		state: value("Returned unchanged.", "b7Yq"),
		nonce: value("Returned in the ID token.", "n-0S6_WzA2Mj"),
		code_challenge: value(
			"The SHA-256 of the code verifier, in base64url.",
			"E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
		),
		code_challenge_method: optional(choice(["S256"], { description: "Required with `code_challenge`." })),
		response_mode: optional(
			choice(["query", "form_post", "fragment"], { description: "Depends on the type of the client." }),
		),
		prompt: value("`none`, `login`, `consent`, or `select_account`.", "login"),
		max_age: value("The maximum age of the sign-in in seconds.", "3600"),
		login_hint: value("The user that the application expects.", "ada@example.com"),
		ui_locales: value("Languages, separated by spaces.", "en"),
		acr_values: value("The level of authentication that the application requires.", MULTI_FACTOR_ACR),
		resource: value(RESOURCE, "https://api.example.com"),
		request_uri: value(
			"From `/oauth/par`; then only `client_id` is needed.",
			"urn:ietf:params:oauth:request_uri:x",
		),
		dpop_jkt: value("Binds the code to this key (RFC 9449).", "0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I"),
	},
	{ title: "AuthorizationRequest" },
);

/** How a client authenticates in a form, instead of with HTTP Basic. */
const CLIENT = {
	client_id: value(`${CLIENT_ID} Not with HTTP Basic.`, CLIENT_ID_EXAMPLE),
	client_secret: value("With `client_secret_post`.", "cs_0mW7Zq2xT5vB9kN1cR8sYd4LfP6hJ3gEaQ"),
	client_assertion: value("With `private_key_jwt`: a signed JWT.", "eyJhbGciOiJFUzI1NiJ9.e30.c2ln"),
	client_assertion_type: optional(
		choice(["urn:ietf:params:oauth:client-assertion-type:jwt-bearer"], {
			description: "With `client_assertion`.",
		}),
	),
};
/** Without its name. */
type Described = Omit<MountDescription, "name">;

const CREDENTIALS: MountDescription["security"] = ["oauthClient", "none"];

const TOKENS = object(
	{
		access_token: plain(),
		token_type: choice(["Bearer", "DPoP"]),
		expires_in: integer("Seconds until the access token expires."),
		scope: optional(plain({ description: SCOPE })),
		id_token: optional(plain("With the scope `openid`.")),
		refresh_token: optional(plain("Valid for one refresh. Not for client credentials.")),
	},
	{ title: "OAuthTokens" },
);

const METADATA = anyObject("Metadata of OpenID Connect Discovery 1.0 and RFC 8414.");
const DISCOVERY: Described = {
	summary: "Discover the OpenID provider",
	description: "Both paths return the same metadata, to every origin.",
	security: [],
	success: { status: 200, description: "The metadata.", schema: METADATA },
};

const SIGN_OUT_FORM = object(
	Object.fromEntries(SIGN_OUT_PARAMETERS.map((each) => [each, value("As in RP-Initiated Logout 1.0.")])),
	{ title: "SignOutRequest" },
) as ObjectSchema<unknown>;

const SIGN_OUT: Described = {
	summary: "Sign the user out and return to the application",
	description:
		"The browser navigates here. If the request does not identify the session, the user confirms on a page.",
	security: [],
	parameters: SIGN_OUT_FORM,
	success: { status: 303, description: "To the application, or to a page of the service." },
};

const USER_INFO: Described = {
	summary: "Get the claims of the user",
	description: "For an access token with the scope `openid`; its other scopes select the claims.",
	security: ["oauthToken"],
	success: {
		status: 200,
		description: "The claims.",
		schema: object({ sub: plain("The user's id.") }, { title: "UserInfo" }),
	},
};

const authorization = (description: string): Described => ({
	summary: "Start a sign-in",
	description,
	security: [],
	parameters: AUTHORIZATION,
	success: {
		status: 303,
		description: "To the sign-in page, or to `redirect_uri` with `code`, `state`, and `iss`.",
	},
});

/** By the name of the operation; the map names it in the row. */
const OPERATIONS = {
	getOpenIdConfiguration: DISCOVERY,
	getAuthorizationServer: DISCOVERY,
	authorize: authorization(
		"The browser navigates here. With `response_mode=form_post`, the last response is a page that posts a form.",
	),
	authorizeByForm: authorization("At most 8,192 bytes; redirects to the same request by GET."),
	resumeAuthorization: {
		summary: "Continue a sign-in",
		description: "The pages of the service navigate here after sign-in and consent.",
		security: [],
		success: { status: 303, description: "To `redirect_uri`, or to the next page." },
	},
	pushAuthorization: {
		summary: "Push an authorization request",
		description: "RFC 9126. The parameters are those of `/oauth/authorize`.",
		security: CREDENTIALS,
		parameters: object({
			...CLIENT,
			response_type: value("`code`.", "code"),
			redirect_uri: value("As at `/oauth/authorize`.", "https://app.example.com/signed-in"),
			scope: value(SCOPE, "openid"),
			code_challenge: value("As at `/oauth/authorize`.", "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"),
			code_challenge_method: value("`S256`.", "S256"),
		}),
		success: {
			status: 201,
			description: "The reference to the request.",
			schema: object({ request_uri: plain(), expires_in: integer() }, { title: "PushedAuthorization" }),
		},
	},
	authorizeDevice: {
		summary: "Start a device sign-in",
		description: "RFC 8628, for `native` clients with `device_flow: true`.",
		security: CREDENTIALS,
		parameters: object({ ...CLIENT, scope: value(SCOPE, "openid profile"), resource: value(RESOURCE) }),
		success: {
			status: 200,
			description: "The codes.",
			schema: object(
				{
					device_code: plain(),
					user_code: plain(),
					verification_uri: plain({ format: "uri" }),
					verification_uri_complete: plain({ format: "uri" }),
					expires_in: integer(),
					interval: optional(integer("Seconds between two polls; five if absent.")),
				},
				{ title: "DeviceAuthorization" },
			),
		},
	},
	issueOAuthTokens: {
		summary: "Exchange a code, device code, refresh token, access token, or client credentials for tokens",
		description: "A `DPoP` header binds the tokens to a key (RFC 9449).",
		security: CREDENTIALS,
		parameters: object({
			grant_type: choice(
				[
					"authorization_code",
					"refresh_token",
					"client_credentials",
					"urn:ietf:params:oauth:grant-type:device_code",
					"urn:ietf:params:oauth:grant-type:token-exchange",
				],
				{ description: "What is exchanged." },
			),
			...CLIENT,
			code: value("Of `authorization_code`.", "kJ2v"),
			redirect_uri: value(
				"For `authorization_code`: the URI in the authorization request.",
				"https://app.example.com/signed-in",
			),
			code_verifier: value(
				"For `authorization_code`, if the request had a challenge.",
				"dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk",
			),
			refresh_token: value("Of `refresh_token`.", "x8Qp"),
			device_code: value("For the device grant.", "y3Lm"),
			subject_token: value(
				"For token exchange (RFC 8693): the access token of a person for your client's own `resource`.",
				"eyJhbGciOiJFUzI1NiJ9.e30.c2ln",
			),
			subject_token_type: value("For token exchange.", "urn:ietf:params:oauth:token-type:access_token"),
			scope: value(SCOPE, "openid"),
			resource: value(RESOURCE, "https://api.example.com"),
		}),
		success: { status: 200, description: "The tokens.", schema: TOKENS },
	},
	getUserInfo: USER_INFO,
	postUserInfo: USER_INFO,
	introspectToken: {
		summary: "Check an access token",
		description: "RFC 7662. A token is active only for the client that has its `resource`.",
		security: CREDENTIALS,
		parameters: object({ token: required("The token.", "eyJhbGciOiJFUzI1NiJ9.e30.c2ln"), ...CLIENT }),
		success: {
			status: 200,
			description: "Whether the token is active, and its claims.",
			schema: object(
				{
					active: boolean(),
					scope: optional(plain({ description: SCOPE })),
					client_id: optional(plain({ description: CLIENT_ID })),
					sub: optional(plain()),
					aud: optional(plain()),
					exp: optional(integer()),
					permissions: optional(list(plain())),
					act: optional(
						object({ sub: plain() }, { description: "The client that acts for the person (RFC 8693)." }),
					),
				},
				{ title: "Introspection" },
			),
		},
	},
	revokeToken: {
		summary: "Revoke a token",
		description: "RFC 7009. Revoking a refresh token revokes everything that its sign-in issued.",
		security: CREDENTIALS,
		parameters: object({ token: required("The token.", "x8Qp"), ...CLIENT }),
		success: { status: 200, description: "The token is invalid, as are unknown tokens." },
	},
	endOAuthSession: SIGN_OUT,
	endOAuthSessionByForm: SIGN_OUT,
} as const satisfies Readonly<Record<string, Described>>;

export type OAuthOperation = keyof typeof OPERATIONS;

export function oauthOperation(name: OAuthOperation): MountDescription {
	return { name, ...OPERATIONS[name] };
}
