// What a sign-in answers on the wire, whichever way it went: contract section 3, "Tokens".

import {
	anyOf,
	boolean,
	choice,
	type Infer,
	integer,
	list,
	object,
	plain,
	type Schema,
} from "../../http/schema.ts";
import type { User } from "../users/model.ts";
import {
	type IssuedTokens,
	SECOND_FACTOR_METHODS,
	type SecondFactorDue,
	type SignInOutcome,
} from "./model.ts";
import type { UserWire } from "./registration-endpoints.ts";

const secondFactorSchema = object(
	{
		mfa_required: boolean({ description: "Always true." }),
		mfa_token: plain({ description: "For `POST /auth/mfa`: five tries, one sign-in." }),
		expires_in: integer({ description: "Seconds the `mfa_token` lives." }),
		methods: list(choice(SECOND_FACTOR_METHODS), {
			description: "What this user can answer with; empty when `enrolment_required`.",
		}),
		enrolment_required: boolean({
			description:
				"A second factor is required here and this user has none: enrol one with `POST /auth/mfa/totp` or `POST /auth/mfa/passkeys`.",
		}),
	},
	{ title: "SecondFactorDue" },
);

/** Schema and form of tokens, for a refresh; `signIn` for whatever ends in a sign-in. */
export function createSignInWire<WireUser>(userWire: UserWire<WireUser>) {
	const tokens = { schema: tokensSchema(userWire.schema), toWire: tokensToWire(userWire.toWire) };
	return {
		tokens,
		signIn: {
			schema: anyOf([tokens.schema, secondFactorSchema]),
			toWire: (outcome: SignInOutcome) =>
				"tokens" in outcome ? tokens.toWire(outcome.tokens) : secondFactorToWire(outcome.secondFactor),
		},
	};
}

function secondFactorToWire(due: SecondFactorDue): Infer<typeof secondFactorSchema> {
	return {
		mfa_required: true,
		mfa_token: due.mfaToken,
		expires_in: due.expiresInSeconds,
		methods: [...due.methods],
		enrolment_required: due.enrolmentRequired,
	};
}

export type SignInWire<WireUser> = ReturnType<typeof createSignInWire<WireUser>>;

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

function tokensToWire<WireUser>(toWireUser: (user: User) => WireUser) {
	return (issued: IssuedTokens) => ({
		access_token: issued.accessToken,
		token_type: "Bearer" as const,
		expires_in: issued.expiresInSeconds,
		refresh_token: issued.refreshToken,
		refresh_expires_in: issued.refreshExpiresInSeconds,
		user: toWireUser(issued.user),
	});
}
