// Refresh tokens are derived from their predecessor, so that a repeated refresh gets the same answer without storing
// it.

import { createHmac, type KeyObject } from "node:crypto";

/**
 * The only successor of a refresh token: its HMAC-SHA256 (RFC 2104), 256 bits as 43 base64url characters, like the
 * first token of a session (`randomToken`). Without the key a token reveals nothing about the next.
 */
export function refreshSuccessor(key: KeyObject, refreshToken: string): string {
	return createHmac("sha256", key).update(refreshToken).digest("base64url");
}
