// Refresh tokens follow from one another, so that a repeated refresh can be given the same answer without storing it.

import { createHmac, type KeyObject } from "node:crypto";

/**
 * The one successor of a refresh token: HMAC-SHA256 (RFC 2104) over it, 256 bits as 43 base64url characters, like
 * the first token of a session (`randomToken`). Without the key no token tells anything about the next.
 */
export function refreshSuccessor(key: KeyObject, refreshToken: string): string {
	return createHmac("sha256", key).update(refreshToken).digest("base64url");
}
