// Verifies a domain by its TXT record.

import type { Caller } from "../../../domain/caller.ts";
import {
	domainNotFound,
	domainTarget,
	domainUnverified,
	type EmailDomain,
	RECHECK_MS,
	type ReadTxt,
	type RecordResult,
	recordName,
} from "../../../domain/email-domain.ts";
import { AppError, found } from "../../../kernel/error.ts";
import type { Needs } from "../../platform.ts";

/** Other records that a message shows, and characters of each. */
const SHOWN_MAX = 3;
const SHOWN_LENGTH = 80;

/** Asks the name servers now, outside any transaction. */
export async function readRecord(
	readTxt: ReadTxt,
	{ domain, recordValue }: EmailDomain,
): Promise<{ readonly result: RecordResult; readonly why: string }> {
	const name = recordName(domain);
	const { records, response } = await readTxt(name);
	if (records === undefined)
		return { result: "unanswered", why: `the name servers did not respond for ${name} (${response})` };
	if (records.includes(recordValue)) return { result: "found", why: "" };
	if (records.length === 0) return { result: "missing", why: `${name} has no TXT record (${response})` };
	const shown = records.slice(0, SHOWN_MAX).map(shownRecord).join(", ");
	const count = `${records.length} TXT ${records.length === 1 ? "record" : "records"}`;
	return { result: "missing", why: `${name} has ${count} without the value: ${shown}` };
}

/**
 * Only the first tenant that proves it holds a domain.
 *
 * @throws AppError `domain.not_found`, `domain.unverified` (with what DNS returned), `domain.taken`.
 */
export async function verifyDomain(
	{ db, clock, readTxt }: Needs<"domains" | "audit", "clock" | "readTxt">,
	domain: string,
	caller: Caller,
): Promise<EmailDomain> {
	const { tenantId } = caller;
	const asked = found(await db.stores.domains.find(tenantId, domain), domainNotFound);
	const { result, why } = await readRecord(readTxt, asked);
	if (result !== "found") throw domainUnverified(why);
	return await db.transaction(async ({ domains, audit }) => {
		const before = found(await domains.find(tenantId, domain), domainNotFound);
		// Removed and added again meanwhile: another value was found.
		if (before.id !== asked.id) throw domainNotFound();
		const nowMs = clock();
		const seen = { recordSeenAtMs: nowMs, nextCheckAtMs: nowMs + RECHECK_MS, noticedAtMs: null };
		const changes = { ...seen, verifiedAtMs: before.verifiedAtMs ?? nowMs };
		const outcome = await domains.update(tenantId, before.id, changes, nowMs);
		if (outcome === "missing") throw domainNotFound();
		if (outcome === "taken")
			throw new AppError("domain.taken", "another tenant of this installation has verified this domain");
		if (before.verifiedAtMs === null) await audit.append(caller, "domain.verified", domainTarget(before));
		return { ...before, ...changes, updatedAtMs: nowMs };
	});
}

/** The texts come from another server. */
function shownRecord(text: string): string {
	return `"${text.replaceAll(/[^\x20-\x7e]/g, "?").slice(0, SHOWN_LENGTH)}"`;
}
