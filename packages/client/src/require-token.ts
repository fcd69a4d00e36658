// A gate that verifies access tokens itself, for APIs without rules in Latchkey.

import { type Gate, refuse } from "./gate-decision.ts";
import { createVerifier, permissionsOf, TokenError, type VerifierOptions } from "./verify-token.ts";

export interface TokenGateOptions extends VerifierOptions {
	/** Called with the reason if tokens could not be verified. Default: `console.error`. */
	readonly report?: (reason: unknown) => void;
}

/**
 * Lets requests with a valid access token pass; use it where a gate of `createGate` is expected, and with
 * `requirePermission`. A token limits its holder to its scopes. Roles are those at the time the token was issued.
 */
export function requireToken({
	// biome-ignore lint/suspicious/noConsole: the operator must learn of it without an option
	report = console.error,
	...options
}: TokenGateOptions): Gate {
	const verify = createVerifier(options);
	return async ({ method, target, header }) => {
		const [, scheme = "", token] = /^(Bearer|DPoP) +(\S+)$/i.exec(header("authorization") ?? "") ?? [];
		if (token === undefined)
			return refuse(401, "token.missing", "an access token is required", { "www-authenticate": "Bearer" });
		try {
			const isBound = scheme.toLowerCase() === "dpop";
			const url = new URL(options.resource).origin + target;
			const dpop = header("dpop") ?? "";
			const claims = await verify(token, isBound ? { dpop, method, url } : undefined);
			const { sub, client_id, act } = claims;
			const isProgram = sub === client_id;
			const caller = {
				kind: isProgram ? "program" : "person",
				id: sub,
				name: "",
				through: isProgram ? null : client_id,
				// A token names the program that acts, but not the one at which the person signed in.
				chain: act === undefined ? [] : [act.sub],
				permissions: permissionsOf(claims),
				isTest: false,
			} as const;
			return { caller };
		} catch (reason) {
			if (reason instanceof TokenError)
				return refuse(401, reason.code, reason.message, {
					"www-authenticate": 'Bearer error="invalid_token"',
				});
			report(reason);
			return refuse(503, "service.unavailable", "tokens cannot be verified now", { "retry-after": "5" });
		}
	};
}
