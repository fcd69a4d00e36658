// Domains of email addresses whose records a name server of the test has.

import { createTxtReader } from "../../../src/adapters/read-txt.ts";
import { checkDomains } from "../../../src/features/identity/domains/check-domains.ts";
import { openBeside } from "../service/beside-service.ts";
import type { TestService } from "../service/service.ts";
import type { DataOf } from "../service/wire-body.ts";
import type { NameServer } from "./name-server.ts";

export const DOMAINS = "/api/v1/domains";

type Fields = Readonly<Record<string, unknown>>;

export function addDomain(
	service: TestService,
	domain: string,
	fields: Fields = {},
): Promise<DataOf<"POST /api/v1/domains">> {
	return service.asAdmin("POST", DOMAINS, { domain, ...fields });
}

/** Adds a domain, publishes its record, and verifies it. */
export async function addVerifiedDomain(
	service: TestService,
	dns: NameServer,
	domain: string,
	fields: Fields = {},
): Promise<DataOf<"POST /api/v1/domains/{domain}/verify">> {
	const { record } = await addDomain(service, domain, fields);
	dns.set(record.name, ["v=spf1 -all", record.value]);
	return await service.asAdmin("POST", `${DOMAINS}/${domain}/verify`);
}

/** Runs the daily job, as if `laterMs` had passed. */
export async function runDomainChecks(service: TestService, dns: NameServer, laterMs = 0): Promise<void> {
	await using beside = await openBeside(service);
	const nothing = (): void => undefined;
	const log = { isDebug: false, warn: nothing, info: nothing, error: nothing, debug: nothing };
	await checkDomains({
		db: beside.db,
		clock: () => beside.clock() + laterMs,
		readTxt: createTxtReader([dns.address]),
		log,
		publicUrl: "https://id.example.com",
		wakeMail: nothing,
	});
}
