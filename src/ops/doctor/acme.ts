// Checks the certificate from an ACME server, as the database has it, without ordering one.

import { ACME_STATE, type AcmeState } from "../../adapters/sql/acme-state.ts";
import { inspectSqliteAcme } from "../../adapters/sqlite/inspect-sqlite.ts";
import { databaseFile, openDatabase } from "../../app/installation-place.ts";
import type { AcmeSettings, Config } from "../../config/config.ts";
import { check, type InstallationCheck } from "../../domain/installation-check.ts";
import { isoTime } from "../../kernel/clock.ts";

export async function examineAcme(
	config: Config,
	{ domain, directory }: AcmeSettings,
	nowMs: number,
): Promise<InstallationCheck> {
	const state = await readState(config, domain);
	const until = state?.valid_to == null ? undefined : isoTime(Number(state.valid_to));
	if (state?.last_error != null)
		return check("certificate.not_issued", { directory, reason: state.last_error, until: until ?? "never" });
	if (until === undefined) return check("certificate.pending", { directory, domain });
	const isOver = Number(state?.valid_to) <= nowMs;
	return check(isOver ? "certificate.expired" : "certificate.issued", { domain, until });
}

async function readState(config: Config, domain: string): Promise<AcmeState | undefined> {
	if (config.databaseUrl === null) return inspectSqliteAcme(databaseFile(config), domain);
	const engine = await openDatabase(config);
	try {
		return await engine.queries.one<AcmeState>(ACME_STATE, domain);
	} finally {
		await engine.close();
	}
}
