// The hash that chains an audit event to the previous one, so that changed, removed or inserted rows are detected.

import { sha256Hex } from "../../../crypto/digest.ts";
import type { AuditChain, AuditEvent } from "../../../domain/audit.ts";

/**
 * An event is hashed in two steps, so that the database can add the link under the lock of the tenant's head: the digest
 * covers every field of the event but its number and time, the hash covers the previous hash (`""` for the first), the digest,
 * the number, and the time. Both are SHA-256, hex. The function `append_audit_events` on PostgreSQL computes the same hash.
 */
export const auditChain: AuditChain = {
	digestOf: (event) =>
		sha256Hex(
			JSON.stringify([
				event.chainVersion,
				event.id,
				event.tenantId,
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
		),
	link: (previousHash, digest, { sequence, atMs }) =>
		sha256Hex(`${previousHash} ${digest} ${sequence} ${atMs}`),
};

export function chainHash(previousHash: string, event: Omit<AuditEvent, "hash">): string {
	return auditChain.link(previousHash, auditChain.digestOf(event), event);
}
