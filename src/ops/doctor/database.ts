// Checks the database: integrity, schema, and whether the master key opens its secrets.

import { SCHEMA_VERSION, schemaVersion } from "../../adapters/migrations/migrate.ts";
import type { Engine } from "../../adapters/sql/engine.ts";
import { FIND_MIXED_SIGN_INS, type MixedSignInRow } from "../../adapters/sql/mixed-sign-ins.ts";
import { SEALED_COLUMNS } from "../../adapters/sql/sealed-columns.ts";
import { type DatabaseFacts, inspectSqlite } from "../../adapters/sqlite/inspect-sqlite.ts";
import { createSealedTextStore } from "../../adapters/stores/sealed-text-store.ts";
import { databaseFile, openDatabase, unusable } from "../../app/installation-place.ts";
import { loadExistingKeys } from "../../app/master-keys.ts";
import type { Config } from "../../config/config.ts";
import { parseMasterKeys, SecretBox, SecretBoxError, sealedWith } from "../../crypto/secret-box.ts";
import { check, type InstallationCheck } from "../../domain/installation-check.ts";
import { isoTime, MINUTE_MS } from "../../kernel/clock.ts";
import { failing } from "./failing.ts";

/** Earlier than any release. */
const EARLIEST_MS = Date.UTC(2026, 0, 1);
const CLOCK_SLACK_MS = 5 * MINUTE_MS;

export async function examineDatabase(config: Config, nowMs: number): Promise<InstallationCheck[]> {
	if (config.databaseUrl !== null)
		return [
			...(await failing("database.unusable", () => examinePostgres(config))),
			examineClock(null, nowMs),
		];
	const file = databaseFile(config);
	return failing("database.unusable", async () => {
		const facts = inspectSqlite(file);
		return [
			examineIntegrity(file, facts),
			examineSchema(facts),
			...(await failing("secrets.unusable", () => examineSecrets(config, facts))),
			...examineTickets(facts.mixedSignIns),
			examineClock(facts.newestAtMs, nowMs),
		];
	});
}

/** Checks a PostgreSQL database. Its integrity is up to its administrator. */
async function examinePostgres(config: Config): Promise<InstallationCheck[]> {
	const engine = await openDatabase(config);
	try {
		const schema = await schemaVersion(engine);
		const reachable = check("database.reachable");
		if (schema === 0) return [reachable, check("installation.empty")];
		const isCurrent = schema === SCHEMA_VERSION;
		const sealed = isCurrent ? await sampleSealed(engine) : [];
		const secrets = await failing("secrets.unusable", () => examineSecrets(config, { sealed }));
		const mixed = isCurrent ? await engine.queries.all<MixedSignInRow>(FIND_MIXED_SIGN_INS) : [];
		const tickets = examineTickets(mixed.map(({ application }) => application));
		return [reachable, examineSchema({ schema }), ...secrets, ...tickets];
	} catch (error) {
		throw unusable(config, error);
	} finally {
		await engine.close();
	}
}

/** Reads one encrypted text per column and key. */
async function sampleSealed(engine: Engine): Promise<DatabaseFacts["sealed"]> {
	const samples: { readonly sealed: string; readonly context: string }[] = [];
	for (const column of SEALED_COLUMNS) {
		const texts = createSealedTextStore(engine.queries, column);
		for (const { keyId } of await texts.countByKey()) {
			const row = await texts.findSealedWith(keyId);
			if (row !== undefined) samples.push({ sealed: row.sealed, context: column.contextOf(row.id) });
		}
	}
	return samples;
}

function examineIntegrity(file: string, { problems }: Pick<DatabaseFacts, "problems">): InstallationCheck {
	if (problems.length === 0) return check("database.intact", { file });
	return check("database.damaged", { file, problems: problems.join("; ").replaceAll(/\s+/g, " ") });
}

function examineSchema({ schema: version }: Pick<DatabaseFacts, "schema">): InstallationCheck {
	if (version === SCHEMA_VERSION) return check("schema.current", { version });
	const code = version > SCHEMA_VERSION ? "schema.newer" : "schema.older";
	return check(code, { version, supported: SCHEMA_VERSION });
}

function examineSecrets(config: Config, { sealed }: Pick<DatabaseFacts, "sealed">): InstallationCheck {
	const keysText = loadExistingKeys(config);
	try {
		const box = new SecretBox(parseMasterKeys(keysText));
		for (const sample of sealed) box.open(sample.sealed, sample.context);
		if (sealed.some((sample) => sealedWith(sample.sealed) !== box.keyId)) return check("secrets.other_key");
		return check(sealed.length === 0 ? "secrets.none" : "secrets.readable");
	} catch (error) {
		if (!(error instanceof SecretBoxError)) throw error;
		return check("secrets.unreadable", { reason: error.message });
	}
}

/** Applications that used sign-in tickets beside their OAuth client, which they no longer get. */
function examineTickets(mixedSignIns: readonly string[]): InstallationCheck[] {
	const applications = mixedSignIns.join(", ");
	return mixedSignIns.length === 0 ? [] : [check("tickets.refused", { applications })];
}

/** Signed requests and tokens depend on the clock. A clock that was set back is behind the newest record. */
export function examineClock(newestAtMs: number | null, nowMs: number): InstallationCheck {
	const now = isoTime(nowMs);
	if (nowMs < EARLIEST_MS) return check("clock.early", { now });
	if (newestAtMs !== null && newestAtMs > nowMs + CLOCK_SLACK_MS)
		return check("clock.behind", { now, latest: isoTime(newestAtMs) });
	return check("clock.plausible", { now });
}
