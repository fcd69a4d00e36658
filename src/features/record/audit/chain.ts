// The hash that chains an audit event to the previous one, so that changed, removed or inserted rows are detected.

import { sha256Hex } from "../../../crypto/digest.ts";
import type { AuditEvent } from "../../../domain/audit.ts";

/**
 * Returns SHA-256, hex, over a JSON array of the version of this encoding, the previous event's hash (`""` for the first),
 * and every field of this event.
 */
export function chainHash(previousHash: string, event: Omit<AuditEvent, "hash">): string {
	return sha256Hex(
		JSON.stringify([
			event.chainVersion,
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
			event.actorName,
			event.targetName,
			event.changes,
		]),
	);
}
