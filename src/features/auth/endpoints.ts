// The wire of sign-in: contract section 3.

import type { AccessTokens } from "../../crypto/access-token.ts";
import type { PasswordHasher } from "../../crypto/password.ts";
import type { SecretBox } from "../../crypto/secret-box.ts";
import { bare, data, empty, endpoint } from "../../http/endpoint.ts";
import {
	choice,
	email,
	integer,
	list,
	object,
	optional,
	plain,
	type Schema,
	secretText,
	text,
	uuid,
} from "../../http/schema.ts";
import type { Clock } from "../../kernel/clock.ts";
import type { Persistence } from "../../kernel/transaction.ts";
import type { Visitor } from "../tenants/model.ts";
import { DISPLAY_NAME_MAX, USERNAME, type User } from "../users/model.ts";
import { createAuthKeys } from "./auth-keys.ts";
import { CODE_DIGITS, CODE_SECONDS, type SignedIn } from "./model.ts";
import type { IssuedTokens } from "./open-session.ts";
import type { PasswordAttempts } from "./password-attempts.ts";
import { type RefreshDeps, refreshSession } from "./refresh-session.ts";
import { type RegisterDeps, register } from "./register.ts";
import { type SendCodeDeps, sendRegistrationCode } from "./send-registration-code.ts";
import { type SignInDeps, signIn } from "./sign-in.ts";
import { type SignOutDeps, signOut } from "./sign-out.ts";

type Stores<D extends { readonly db: unknown }> = D["db"] extends Persistence<infer S> ? S : never;
type AuthStores = Stores<SignInDeps> &
	Stores<RefreshDeps> &
	Stores<SignOutDeps> &
	Stores<SendCodeDeps> &
	Stores<RegisterDeps>;

/** `WireUser` is how the feature `users` shows a user: it owns that form, and is handed in. */
export interface AuthDeps<WireUser> {
	readonly db: Persistence<AuthStores>;
	readonly clock: Clock;
	readonly passwords: PasswordHasher;
	readonly accessTokens: AccessTokens;
	readonly attempts: PasswordAttempts;
	readonly secretBox: SecretBox;
	readonly wakeMail: () => void;
	readonly userWire: { readonly schema: Schema<WireUser>; toWire(user: User): WireUser };
}

/** Longer than any password that can be set, so that the limit in bytes is what a caller is told. */
const PASSWORD_TEXT_MAX = 1_024;
const LOGIN_NAME_MAX = 254;
const REFRESH_TOKEN_MAX = 512;

const sendCodeBody = object({ email: email() });

const sentCodeSchema = object({
	expires_in: integer({ description: "Seconds the code is good for." }),
	resend_after: integer({ description: "Seconds after which another may be asked for." }),
});

const registerBody = object({
	username: text({
		max: 64,
		pattern: USERNAME.source,
		description: "3 to 64 letters, digits, `.`, `_`, `-`; unique without regard to case.",
	}),
	email: email(),
	password: secretText({
		max: PASSWORD_TEXT_MAX,
		description: "At least 8 characters, at most 72 bytes in UTF-8.",
	}),
	code: text({ max: CODE_DIGITS, pattern: `^[0-9]{${CODE_DIGITS}}$`, description: "As it was mailed." }),
	display_name: optional(text({ min: 0, max: DISPLAY_NAME_MAX })),
});

const loginBody = object({
	username: text({ max: LOGIN_NAME_MAX, description: "Username or e-mail address." }),
	password: secretText({ max: PASSWORD_TEXT_MAX }),
	app_id: optional(uuid({ description: "The application to sign in to: access to it is decided." })),
});

const refreshBody = object({ refresh_token: secretText({ max: REFRESH_TOKEN_MAX }) });

const jwksSchema = object({
	keys: list(
		object({
			kty: plain(),
			crv: plain(),
			x: plain(),
			y: plain(),
			kid: plain({ description: "As in the header of the tokens it signs." }),
			use: plain(),
			alg: plain(),
		}),
	),
});

function tokensSchema<WireUser>(user: Schema<WireUser>) {
	return object(
		{
			access_token: plain({ description: "JWT (`typ: at+jwt`, ES256)." }),
			token_type: choice(["Bearer"]),
			expires_in: integer({ description: "Seconds the access token lives." }),
			refresh_token: plain({ description: "Good for one refresh." }),
			refresh_expires_in: integer({ description: "Seconds until the session ends unless it is refreshed." }),
			user,
		},
		{ title: "Tokens" },
	);
}

export function authEndpoints<WireUser>(given: AuthDeps<WireUser>) {
	const { userWire } = given;
	const deps = { ...given, keys: createAuthKeys(given.secretBox) };
	const tokens = data(200, tokensSchema(userWire.schema), "Signed in.");
	const toWireTokens = (issued: IssuedTokens) => ({
		access_token: issued.accessToken,
		token_type: "Bearer" as const,
		expires_in: issued.expiresInSeconds,
		refresh_token: issued.refreshToken,
		refresh_expires_in: issued.refreshExpiresInSeconds,
		user: userWire.toWire(issued.user),
	});
	return {
		sendCode: endpoint<Visitor>()({
			name: "sendRegistrationCode",
			summary: "Send a registration e-mail code",
			description: `Mails ${CODE_DIGITS} digits that are good for ${CODE_SECONDS / 60} minutes, five wrong tries and one registration; a new code replaces the one before. An address that has an account gets the same answer, and its owner a mail that says so. One code a minute and five an hour for an address.`,
			body: sendCodeBody,
			answer: data(200, sentCodeSchema, "The code is on its way, unless the address has an account."),
			errors: ["code.too_many"],
			async handle({ caller, body, request }) {
				const sent = await sendRegistrationCode(
					deps,
					{ tenantId: caller.tenantId, email: body.email },
					request,
				);
				return { expires_in: sent.expiresInSeconds, resend_after: sent.resendAfterSeconds };
			},
		}),
		register: endpoint<Visitor>()({
			name: "register",
			summary: "Register a new user",
			description:
				"Needs the code mailed to the address. What is taken is told only after a right code; a taken username leaves the code good for another try. The password must not be a common one, nor the username or e-mail.",
			body: registerBody,
			answer: data(201, userWire.schema, "The account was made; its e-mail address is verified."),
			errors: [
				"code.invalid",
				"username.taken",
				"email.taken",
				"password.too_short",
				"password.too_long",
				"password.too_common",
				"password.same_as_name",
				"service.overloaded",
			],
			async handle({ caller, body, request }) {
				const wanted = {
					tenantId: caller.tenantId,
					username: body.username,
					email: body.email,
					passwordPlain: body.password,
					code: body.code,
					displayName: body.display_name ?? "",
				};
				return userWire.toWire(await register(deps, wanted, request));
			},
		}),
		login: endpoint<Visitor>()({
			name: "login",
			summary: "Sign in a user and obtain an access token",
			description:
				"An unknown name and a wrong password get the same answer. Five failures for a name from one address: 429, for 30 s at first and twice as long after each further failure, up to 15 minutes. After 100 failures in a row from anywhere the password is refused, with the same 401, until it is reset. A disabled account and missing access to `app_id` are told only after a right password. Without a refresh the session ends after 7 days, and in any case 30 days after sign-in.",
			body: loginBody,
			answer: tokens,
			errors: [
				"credentials.invalid",
				"account.disabled",
				"application.access_denied",
				"login.too_many",
				"service.overloaded",
			],
			secret: true,
			async handle({ caller, body, request }) {
				const credentials = {
					tenantId: caller.tenantId,
					name: body.username,
					passwordPlain: body.password,
					appId: body.app_id ?? null,
				};
				return toWireTokens(await signIn(deps, credentials, request));
			},
		}),
		refresh: endpoint<undefined>()({
			name: "refreshSession",
			summary: "Exchange a refresh token for new tokens",
			description:
				"Every refresh token works once; keep the one in the answer. If the answer got lost, the same token may be sent again within 10 s and gets the same successor. A used token that comes later ends the session. Account and access to the application are decided again: 403 ends the session.",
			body: refreshBody,
			answer: tokens,
			errors: ["refresh_token.invalid", "account.disabled", "application.access_denied"],
			secret: true,
			handle: async ({ body, request }) =>
				toWireTokens(await refreshSession(deps, body.refresh_token, request)),
		}),
		logout: endpoint<SignedIn>()({
			name: "logout",
			summary: "End the session",
			description: "Access token and refresh token are refused from now on.",
			answer: empty(204, "The session has ended."),
			handle: ({ caller, request }) => signOut(deps, caller, request),
		}),
		jwks: endpoint<undefined>()({
			name: "getJwks",
			summary: "Public keys that verify access tokens",
			description: "A JWK set (RFC 7517), not wrapped in `data`.",
			answer: bare(200, jwksSchema, "The keys; the newest signs."),
			handle: () => ({ keys: [...deps.accessTokens.jwks().keys] }),
		}),
	};
}
