// The hash that chains an audit event to the previous one, so that changed, removed or inserted rows are detected.

import { sha256Hex } from "../../../crypto/digest.ts";
import type { AuditEvent } from "../../../domain/audit.ts";

/**
 * Returns SHA-256, hex, over a JSON array of the previous event's hash (`""` for the first) and every field of this
 * one. Different events have different encodings: version 2 begins with its number, where version 1 has a text.
 */
export function chainHash(previousHash: string, event: Omit<AuditEvent, "hash">): string {
	const { chainVersion, actorName, targetName, changes } = event;
	return sha256Hex(
		JSON.stringify([
			...(chainVersion === 1 ? [] : [chainVersion]),
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
			...(chainVersion === 1 ? [] : [actorName, targetName, changes]),
		]),
	);
}
