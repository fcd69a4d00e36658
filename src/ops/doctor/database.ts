// Checks the database: integrity, schema, and whether the master key opens its secrets.

import { SCHEMA_VERSION, schemaVersion } from "../../adapters/migrations/migrate.ts";
import type { Engine } from "../../adapters/sql/engine.ts";
import { SEALED_COLUMNS } from "../../adapters/sql/sealed-columns.ts";
import { type DatabaseFacts, inspectSqlite } from "../../adapters/sqlite/inspect-sqlite.ts";
import { createSealedTextStore } from "../../adapters/stores/sealed-text-store.ts";
import { databaseFile, noInstallation, openDatabase, unusable } from "../../app/installation-place.ts";
import { loadExistingKeys } from "../../app/master-keys.ts";
import type { Config } from "../../config/config.ts";
import { parseMasterKeys, SecretBox, SecretBoxError, sealedWith } from "../../crypto/secret-box.ts";
import { isoTime, MINUTE_MS } from "../../kernel/clock.ts";
import { type Finding, fail, failing, ok, warn } from "./finding.ts";

/** Earlier than any release. */
const EARLIEST_MS = Date.UTC(2026, 0, 1);
const CLOCK_SLACK_MS = 5 * MINUTE_MS;

export async function examineDatabase(config: Config, nowMs: number): Promise<Finding[]> {
	if (config.databaseUrl !== null)
		return [...(await failing("database", () => examinePostgres(config))), examineClock(null, nowMs)];
	const file = databaseFile(config);
	return failing("database", async () => {
		const facts = inspectSqlite(file);
		return [
			examineIntegrity(file, facts),
			examineSchema(facts),
			...(await failing("secrets", () => examineSecrets(config, facts))),
			examineClock(facts.newestAtMs, nowMs),
		];
	});
}

/** Checks a PostgreSQL database. Its integrity is up to its administrator. */
async function examinePostgres(config: Config): Promise<Finding[]> {
	const engine = await openDatabase(config);
	try {
		const schema = await schemaVersion(engine);
		const responses = ok("database", "the server answers");
		if (schema === 0) return [responses, fail("installation", noInstallation(config).message)];
		const sealed = schema === SCHEMA_VERSION ? await sampleSealed(engine) : [];
		const secrets = await failing("secrets", () => examineSecrets(config, { sealed }));
		return [responses, examineSchema({ schema }), ...secrets];
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

function examineIntegrity(file: string, { problems }: Pick<DatabaseFacts, "problems">): Finding {
	if (problems.length === 0) return ok("database", `${file} is whole`);
	return fail(
		"database",
		`${file} is damaged (${problems.join("; ").replaceAll(/\s+/g, " ")}): restore a backup`,
	);
}

function examineSchema({ schema }: Pick<DatabaseFacts, "schema">): Finding {
	if (schema === SCHEMA_VERSION) return ok("schema", `version ${schema}`);
	if (schema > SCHEMA_VERSION)
		return fail(
			"schema",
			`version ${schema} is newer than this version of latchkey supports (${SCHEMA_VERSION}): use the newer version`,
		);
	return warn(
		"schema",
		`version ${schema} is older than ${SCHEMA_VERSION}: the next start or latchkey migrate updates it`,
	);
}

function examineSecrets(config: Config, { sealed }: Pick<DatabaseFacts, "sealed">): Finding {
	const keysText = loadExistingKeys(config);
	try {
		const box = new SecretBox(parseMasterKeys(keysText));
		for (const sample of sealed) box.open(sample.sealed, sample.context);
		if (sealed.some((sample) => sealedWith(sample.sealed) !== box.keyId))
			return warn("secrets", "some are sealed with another master key than the first: run latchkey rekey");
		return ok("secrets", sealed.length === 0 ? "none stored yet" : "the master key opens them");
	} catch (error) {
		if (!(error instanceof SecretBoxError)) throw error;
		return fail("secrets", `${error.message}: give the right master key`);
	}
}

/** Signed requests and tokens depend on the clock. A clock that was set back is behind the newest record. */
export function examineClock(newestAtMs: number | null, nowMs: number): Finding {
	if (nowMs < EARLIEST_MS) return fail("clock", `it is not ${isoTime(nowMs)}: set the clock`);
	if (newestAtMs !== null && newestAtMs > nowMs + CLOCK_SLACK_MS) {
		return fail(
			"clock",
			`it is ${isoTime(nowMs)}, but records go up to ${isoTime(newestAtMs)}: set the clock`,
		);
	}
	return ok("clock", isoTime(nowMs));
}
