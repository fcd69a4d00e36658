// Reads and removes gates, and regenerates their keys.

import { applicationNotFound } from "../../../domain/application.ts";
import type { Caller } from "../../../domain/caller.ts";
import { overlapEndMs } from "../../../domain/client-secret.ts";
import { type Gate, gateNotFound } from "../../../domain/gate.ts";
import { isoTimeOrNull } from "../../../kernel/clock.ts";
import { found } from "../../../kernel/error.ts";
import type { Needs } from "../../platform.ts";
import { gateTarget, issueGateKey } from "./put-gate.ts";

/** @throws AppError `application.not_found`, `gate.not_found`. */
export async function getGate(
	{ db: { stores } }: Needs<"applications" | "gates">,
	tenantId: string,
	applicationId: string,
): Promise<Gate> {
	found(await stores.applications.findById(tenantId, applicationId), applicationNotFound);
	return found(await stores.gates.find(tenantId, applicationId), gateNotFound);
}

/** The next request of the proxy is refused. @throws AppError `application.not_found`, `gate.not_found`. */
export async function removeGate(
	{ db }: Needs<"applications" | "gates" | "audit">,
	applicationId: string,
	caller: Caller,
): Promise<void> {
	const { tenantId } = caller;
	await db.transaction(async ({ applications, gates, audit }) => {
		const application = found(await applications.findById(tenantId, applicationId), applicationNotFound);
		if (!(await gates.remove(tenantId, applicationId))) throw gateNotFound();
		await audit.append(caller, "gate.removed", gateTarget(application));
	});
}

/**
 * The replaced key stays valid for `overlapSeconds`; an earlier one becomes invalid immediately. Concurrent calls run
 * one after the other; the last one's key remains.
 *
 * @throws AppError `application.not_found`, `gate.not_found`.
 */
export async function regenerateGateKey(
	{ db, clock }: Needs<"applications" | "gates" | "audit", "clock">,
	applicationId: string,
	overlapSeconds: number,
	caller: Caller,
): Promise<{ readonly gate: Gate; readonly keyPlain: string }> {
	const now = clock();
	const { tenantId } = caller;
	return db.transaction(async ({ applications, gates, audit }) => {
		const application = found(await applications.findById(tenantId, applicationId), applicationNotFound);
		const locked = found(await gates.findForUpdate(tenantId, applicationId), gateNotFound);
		const { keyDigest: replaced, previousKeyDigest: _expired, ...before } = locked;
		const { keyPlain, keyDigest, keyHint } = issueGateKey();
		const previousKeyExpiresAtMs = overlapEndMs(overlapSeconds, now);
		const shown = { keyHint, previousKeyExpiresAtMs };
		const key = { ...shown, keyDigest, previousKeyDigest: overlapSeconds === 0 ? null : replaced };
		if (!(await gates.setKey(tenantId, applicationId, key, now))) throw new Error("a locked gate vanished");
		const details = { previous_key_expires_at: isoTimeOrNull(previousKeyExpiresAtMs) };
		await audit.append(caller, "gate.key_regenerated", gateTarget(application), details);
		return { gate: { ...before, ...shown, updatedAtMs: now }, keyPlain };
	});
}
