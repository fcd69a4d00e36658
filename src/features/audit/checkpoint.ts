// Signs and proves checkpoints: what lets the oldest events of a trail go, and the rest still be verified.

import { signStatement, statementKeyId, verifyStatement } from "../../crypto/signed-statement.ts";
import type { SigningKey } from "../../crypto/signing-key.ts";
import { isoTime } from "../../kernel/clock.ts";
import type { ChainHead, Checkpoint } from "./model.ts";

const TYPE = "latchkey-audit-checkpoint+jws";

/** The word of this key that the tenant's trail was whole up to this event. */
export async function issueCheckpoint(
	key: SigningKey,
	tenantId: string,
	{ sequence, hash }: ChainHead,
	nowMs: number,
): Promise<Checkpoint> {
	const claims = { tenant_id: tenantId, sequence, hash, at: isoTime(nowMs) };
	const statement = await signStatement(key, TYPE, claims);
	return { tenantId, sequence, hash, statement, createdAtMs: nowMs };
}

/** Whether one of these keys signed exactly this tenant, event and hash. */
export async function proveCheckpoint(keys: readonly SigningKey[], checkpoint: Checkpoint): Promise<boolean> {
	const claims = await verifyStatement(keys, TYPE, checkpoint.statement);
	if (typeof claims !== "object" || claims === null) return false;
	const { tenant_id, sequence, hash } = claims as Record<string, unknown>;
	return tenant_id === checkpoint.tenantId && sequence === checkpoint.sequence && hash === checkpoint.hash;
}

/** The keys that these checkpoints cannot be proved without. */
export function checkpointKeyIds(checkpoints: readonly Checkpoint[]): Set<string> {
	return new Set(checkpoints.flatMap(({ statement }) => statementKeyId(statement) ?? []));
}
