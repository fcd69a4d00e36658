// Looks up the records of verified domains once a day. A domain without its record for 30 days is no longer verified.

import { systemCaller } from "../../../domain/caller.ts";
import {
	domainTarget,
	type EmailDomain,
	NOTICE_AFTER_MS,
	RECHECK_MS,
	UNPROVED_AFTER_MS,
} from "../../../domain/email-domain.ts";
import type { Stores } from "../../../domain/stores.ts";
import { isoTime } from "../../../kernel/clock.ts";
import type { Needs } from "../../platform.ts";
import { mailAdministrators } from "../steps/mail-administrators.ts";
import { readRecord } from "./verify-domain.ts";

type Needed = Needs<
	"domains" | "audit" | "mail" | "users",
	"clock" | "log" | "readTxt" | "publicUrl" | "wakeMail"
>;

/** Domains that one run looks up; each may take 5 s. */
const PER_RUN = 50;
/** From the mail to the end, even if no node ran meanwhile. */
const GRACE_MS = UNPROVED_AFTER_MS - NOTICE_AFTER_MS;

/** Each due domain is looked up by one node. */
export async function checkDomains(needs: Needed): Promise<void> {
	for (let count = 0; count < PER_RUN; count++) {
		const now = needs.clock();
		const due = await needs.db.transaction(({ domains }) => domains.claimDue(now, now + RECHECK_MS));
		if (due === undefined) return;
		await checkOne(needs, due, now);
	}
}

async function checkOne(needs: Needed, due: EmailDomain, now: number): Promise<void> {
	const { result, why } = await readRecord(needs.readTxt, due);
	if (result !== "found")
		needs.log.warn({ tenant_id: due.tenantId, error: why }, "the record of a domain is missing");
	await needs.db.transaction(async (stores) => {
		const domain = await stores.domains.find(due.tenantId, due.domain);
		if (domain?.id !== due.id || domain.verifiedAtMs === null) return;
		const seen = { recordSeenAtMs: now, noticedAtMs: null };
		if (result === "found") await stores.domains.update(domain.tenantId, domain.id, seen, now);
		else await noteMissing(stores, needs, domain, now);
	});
	needs.wakeMail();
}

async function noteMissing(
	stores: Stores<"domains" | "audit" | "mail" | "users">,
	{ publicUrl }: Needed,
	domain: EmailDomain,
	now: number,
): Promise<void> {
	const { id, tenantId, noticedAtMs } = domain;
	const missingMs = now - (domain.recordSeenAtMs ?? now);
	const names = { domain: domain.domain, consoleUrl: `${publicUrl}/console/providers` };
	if (noticedAtMs === null && missingMs >= NOTICE_AFTER_MS) {
		await stores.domains.update(tenantId, id, { noticedAtMs: now }, now);
		const endsAt = isoTime(now + GRACE_MS);
		await mailAdministrators(stores, tenantId, { kind: "domain_record_missing", ...names, endsAt });
	} else if (noticedAtMs !== null && now - noticedAtMs >= GRACE_MS) {
		const changes = { verifiedAtMs: null, nextCheckAtMs: null, noticedAtMs: null, enforce: false };
		await stores.domains.update(tenantId, id, changes, now);
		await stores.audit.append(systemCaller(tenantId), "domain.lost", domainTarget(domain));
		await mailAdministrators(stores, tenantId, { kind: "domain_lost", ...names });
	}
}
