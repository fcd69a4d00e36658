// What a sign-in answers on the wire, whichever way it went: contract section 3, "Tokens".

import { choice, integer, object, plain, type Schema } from "../../http/schema.ts";
import type { User } from "../users/model.ts";
import type { IssuedTokens, SignInOutcome } from "./model.ts";
import type { UserWire } from "./registration-endpoints.ts";

/** Schema and form of tokens, for a refresh; `signIn` for whatever ends in a sign-in. */
export function createSignInWire<WireUser>(userWire: UserWire<WireUser>) {
	const tokens = { schema: tokensSchema(userWire.schema), toWire: tokensToWire(userWire.toWire) };
	return {
		tokens,
		signIn: { schema: tokens.schema, toWire: (outcome: SignInOutcome) => tokens.toWire(outcome.tokens) },
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
