// Signs and verifies checkpoints, with which a trail stays verifiable after its oldest events were removed.

import { signStatement, statementKeyId, verifyStatement } from "../../../crypto/signed-statement.ts";
import type { SigningKey } from "../../../crypto/signing-key.ts";
import type { ChainHead, Checkpoint } from "../../../domain/audit.ts";
import { isoTime } from "../../../kernel/clock.ts";
import { isMembers } from "../../../kernel/shape.ts";

const TYPE = "latchkey-audit-checkpoint+jws";

/** Signs the statement that the tenant's trail was intact up to this event. */
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
export async function verifyCheckpoint(
	keys: readonly SigningKey[],
	checkpoint: Checkpoint,
): Promise<boolean> {
	const claims = await verifyStatement(keys, TYPE, checkpoint.statement);
	if (!isMembers(claims)) return false;
	const { tenant_id, sequence, hash } = claims;
	return tenant_id === checkpoint.tenantId && sequence === checkpoint.sequence && hash === checkpoint.hash;
}

/** Returns the ids of the keys that signed these checkpoints. */
export function checkpointKeyIds(checkpoints: readonly Checkpoint[]): Set<string> {
	return new Set(checkpoints.flatMap(({ statement }) => statementKeyId(statement) ?? []));
}
