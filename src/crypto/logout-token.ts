// Logout tokens (OpenID Connect Back-Channel Logout 1.0, section 2.4): JWTs that name an ended session to a relying
// party.

import type { JWK } from "jose";
import { SignJWT } from "jose/jwt/sign";
import { importJWK } from "jose/key/import";
import { type Clock, SECOND_MS } from "../kernel/clock.ts";
import { randomToken } from "./random.ts";

/** The maximum lifetime that the specification recommends: each token is signed for one attempt. */
const TTL_SECONDS = 120;
const EVENT = "http://schemas.openid.net/event/backchannel-logout";

export interface LogoutTokenSubject {
	/** `aud` */
	readonly clientId: string;
	/** `sub` */
	readonly userId: string;
	/** `sid` of the ID tokens of that session. */
	readonly sessionId: string;
}

export interface LogoutTokenOptions {
	readonly issuer: string;
	readonly clock: Clock;
	/** The key that signs now. @throws Error when there is none. */
	signingKey(alg: string): Promise<{ readonly kid: string; readonly privateJwk: object }>;
}

/** @returns a function that signs like the client's ID tokens are signed, each time with a new `jti`. */
export function createLogoutTokens({ issuer, clock, signingKey }: LogoutTokenOptions) {
	return async ({ clientId, userId, sessionId }: LogoutTokenSubject, alg: string): Promise<string> => {
		const { kid, privateJwk } = await signingKey(alg);
		const iat = Math.floor(clock() / SECOND_MS);
		const claims = {
			iss: issuer,
			aud: clientId,
			iat,
			exp: iat + TTL_SECONDS,
			jti: randomToken(),
			sub: userId,
			sid: sessionId,
			events: { [EVENT]: {} },
		};
		return await new SignJWT(claims)
			.setProtectedHeader({ alg, typ: "logout+jwt", kid })
			.sign(await importJWK(privateJwk as JWK, alg));
	};
}
