// Converts a session to the form of the library.

import type { Payload } from "oidc-provider";
import { MULTI_FACTOR_ACR } from "../../domain/openid-provider.ts";
import type { Session } from "../../domain/session.ts";
import { SECOND_MS } from "../../kernel/clock.ts";

export function sessionPayload(session: Session): Payload {
	const seconds = (ms: number): number => Math.floor(ms / SECOND_MS);
	return {
		kind: "Session",
		jti: session.id,
		uid: session.id,
		accountId: session.userId,
		loginTs: seconds(session.authenticatedAtMs),
		amr: [...session.amr],
		acr: session.amr.includes("mfa") ? MULTI_FACTOR_ACR : undefined,
		iat: seconds(session.createdAtMs),
		exp: seconds(session.refreshExpiresAtMs),
		authorizations: {},
	};
}
