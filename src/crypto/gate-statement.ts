// Statements of a gate: signed descriptions of a request that passed, for applications that do not trust headers.

import { SignJWT } from "jose/jwt/sign";
import { type Clock, SECOND_MS } from "../kernel/clock.ts";
import type { KeySource } from "./access-token.ts";
import { randomToken } from "./random.ts";
import { ALGORITHM, ReadyKeys } from "./signing-key.ts";

const TTL_SECONDS = 60;

export interface GateStatement {
	readonly applicationId: string;
	/** As in `Latchkey-Caller`. */
	readonly subject: string;
	readonly method: string;
	/** Path and query, exactly as on the request line. */
	readonly target: string;
	/** Lower-case hex; null if the request was not signed. */
	readonly bodySha256: string | null;
	readonly permissions: readonly string[];
	/** Whether a test client calls. */
	readonly isTest: boolean;
	/** If a program acts for the person: it, and the program at which the person signed in. */
	readonly chain?: readonly string[] | undefined;
	/** In a support session: `user:<id>` of the supporter. */
	readonly supporter?: string | undefined;
}

/** @returns a function that signs a statement, valid for a minute, with the key that signs access tokens. */
export function createGateStatements(issuer: string, keys: KeySource, clock: Clock) {
	const ready = new ReadyKeys();
	return async (statement: GateStatement): Promise<string> => {
		const { applicationId, subject, method, target, bodySha256, permissions, isTest, chain, supporter } =
			statement;
		await keys.freshen();
		const [key] = keys.current();
		if (key === undefined) throw new Error("there is no key to sign statements with");
		const iat = Math.floor(clock() / SECOND_MS);
		const claims = {
			iss: issuer,
			aud: `${issuer}/gate/${applicationId}`,
			iat,
			exp: iat + TTL_SECONDS,
			jti: randomToken(),
			sub: subject,
			method,
			target,
			body_sha256: bodySha256,
			permissions,
			...(isTest && { mode: "test" }),
			...(chain !== undefined && { chain }),
			...(supporter !== undefined && { act: { sub: supporter } }),
		};
		return await new SignJWT(claims)
			.setProtectedHeader({ alg: ALGORITHM, typ: "gate+jwt", kid: key.kid })
			.sign(await ready.signing(key));
	};
}
