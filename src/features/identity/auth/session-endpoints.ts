// `/auth/login`, `/auth/refresh`, `/auth/logout`, and the keys that verify access tokens.

import type { SignedIn } from "../../../domain/session.ts";
import { PASSWORD_TEXT_MAX } from "../../../domain/sign-in.ts";
import type { Visitor } from "../../../domain/tenant.ts";
import { bare, data, empty, endpoint, orEmpty } from "../../../http/describe/endpoint.ts";
import {
	list,
	object,
	optional,
	plain,
	secretText,
	trimmedText,
	uuid,
} from "../../../http/describe/schema.ts";
import { invalidField } from "../../../kernel/error.ts";
import type { Platform } from "../../platform.ts";
import { signOut } from "../users/end-session.ts";
import { refreshSession } from "./refresh-session.ts";
import { signIn } from "./sign-in.ts";
import {
	PASSWORD_SIGN_IN_ERRORS,
	REFRESH_ERRORS,
	signInSchema,
	tokensSchema,
	toWireSignIn,
	toWireTokens,
} from "./sign-in-wire.ts";
import { JWKS_MAX_AGE_SECONDS } from "./signing-key-life.ts";

const LOGIN_NAME_MAX = 254;
const REFRESH_TOKEN_MAX = 512;

const jwksSchema = object({
	keys: list(
		object({
			kty: plain("`EC`, or `RSA` for keys that sign only ID tokens."),
			crv: optional(plain()),
			x: optional(plain()),
			y: optional(plain()),
			n: optional(plain()),
			e: optional(plain()),
			kid: plain("The `kid` in the header of the tokens that it signs."),
			use: plain(),
			alg: plain(),
		}),
	),
});

/** Includes the RSA keys only if discovery announces their algorithms. */
async function publishedKeys({ accessTokens, openId, idTokenKeys }: Platform) {
	const others = (await openId.isUsed()) ? await idTokenKeys.published() : [];
	return { keys: [...accessTokens.jwks().keys, ...others] };
}

export function sessionEndpoints(platform: Platform) {
	return {
		login: endpoint<Visitor>()({
			name: "login",
			summary: "Sign in a user and obtain an access token",
			description:
				"An unknown name and a wrong password return the same response. After five failures for a name from one IP address, the response is 429 for 30 s; each further failure doubles this delay, up to 15 minutes. After 100 consecutive failures from any IP address, the password is refused with the same 401 until it is reset. Only a correct password reveals a disabled account or missing access to `app_id`. If a second factor is required, the response contains an `mfa_token` instead of tokens: see `POST /auth/mfa`. The session expires 7 days after its last refresh, and 30 days after sign-in at the latest.",
			body: object({
				username: trimmedText({ max: LOGIN_NAME_MAX, description: "Username or email address." }),
				password: secretText({ max: PASSWORD_TEXT_MAX }),
				app_id: optional(
					uuid(
						"The application to sign in to. Access to it is checked. The token has none of its permissions.",
					),
				),
			}),
			response: data(200, signInSchema, "Signed in, or a second factor is required."),
			errors: PASSWORD_SIGN_IN_ERRORS,
			secret: true,
			session: "opens",
			async handle({ caller, body }) {
				const appId = body.app_id ?? null;
				const credentials = { name: body.username, passwordPlain: body.password, appId };
				return toWireSignIn(await signIn(platform, credentials, caller));
			},
		}),
		refresh: endpoint<undefined>()({
			name: "refreshSession",
			summary: "Exchange a refresh token for new tokens",
			description:
				"Every refresh token works once; keep the one in the response. If the response was lost, reusing the token within 10 s returns the same successor. Reusing it later revokes the session. The account, access to the application, and a required second factor are checked again: a 403 ends the session. A browser of this service sends its cookie instead of a token; a refusal clears the cookie.",
			body: object({ refresh_token: optional(secretText({ max: REFRESH_TOKEN_MAX })) }),
			response: orEmpty(
				data(200, tokensSchema, "Signed in."),
				"With `X-Session: cookie`: this browser has no session.",
			),
			errors: REFRESH_ERRORS,
			secret: true,
			session: "renews",
			async handle({ body, request }) {
				const { browserSession } = request;
				const token = body.refresh_token ?? browserSession?.takeToken();
				if (token !== undefined) return toWireTokens(await refreshSession(platform, token, request));
				if (browserSession === undefined) throw invalidField("refresh_token", "required");
				return undefined;
			},
		}),
		logout: endpoint<SignedIn | undefined>()({
			name: "logout",
			summary: "End the session",
			description:
				"Revokes the access token and the refresh token. A browser of this service can send its cookie instead of an access token. The response is 204 even if the session of the cookie has already ended.",
			response: empty(204, "The session has ended."),
			session: "ends",
			async handle({ caller, request }) {
				if (caller !== undefined) await signOut(platform, caller);
				request.browserSession?.end();
			},
		}),
		jwks: endpoint<undefined>()({
			name: "getJwks",
			summary: "Public keys that verify access tokens and ID tokens",
			description:
				"A JWK set (RFC 7517), not wrapped in `data`. Cache it no longer than its `Cache-Control` allows. A new key is published well before it signs, and an old one until its last token has expired.",
			response: {
				...bare(200, jwksSchema, "The keys, with the current signing key first."),
				headersOf: () => ({ "cache-control": `public, max-age=${JWKS_MAX_AGE_SECONDS}` }),
			},
			handle: () => publishedKeys(platform),
		}),
	};
}
