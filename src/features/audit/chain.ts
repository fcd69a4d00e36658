// How one audit event is chained to the one before it, so that a changed, removed or inserted row shows.

import { sha256Hex } from "../../crypto/digest.ts";
import type { AuditEvent } from "./model.ts";

/**
 * SHA-256, hex, over the previous event's hash (`""` for the first) and every field of this one, as a JSON array:
 * an encoding in which no two different events look alike.
 */
export function chainHash(previousHash: string, event: Omit<AuditEvent, "hash">): string {
	return sha256Hex(
		JSON.stringify([
			previousHash,
			event.id,
			event.tenantId,
			event.sequence,
			event.atMs,
			event.actor,
			event.action,
			event.target,
			event.ip,
			event.requestId,
			event.details,
		]),
	);
}
