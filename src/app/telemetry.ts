// Opens the sender of traces and metrics, and wraps what requests use in spans.

import type { Telemetry } from "../adapters/telemetry/otlp.ts";
import type { Config } from "../config/config.ts";
import type { PasswordHasher } from "../crypto/password.ts";
import { randomToken } from "../crypto/random.ts";
import type { Db } from "../domain/stores.ts";
import type { Log } from "../kernel/log.ts";
import type { Tracing } from "../kernel/tracing.ts";
import type { Installation } from "./open-installation.ts";
import { VERSION } from "./version.ts";

/** Loads OpenTelemetry only where an endpoint is set: importing it takes some 0.4 s and 10 MB. */
export async function openTelemetry({ otlp }: Config, log: Log): Promise<Telemetry | undefined> {
	if (otlp === null) return undefined;
	const { startTelemetry } = await import("../adapters/telemetry/otlp.ts");
	return startTelemetry({ ...otlp, version: VERSION, instanceId: randomToken().slice(0, 16), log });
}

/** The installation as requests use it: transactions and password hashes are spans. */
export function tracedInstallation(
	installation: Installation,
	{ databaseUrl }: Config,
	tracing: Tracing | undefined,
): Installation {
	if (tracing === undefined) return installation;
	return {
		...installation,
		db: tracedDb(installation.db, databaseUrl === null ? "sqlite" : "postgresql", tracing),
		passwords: tracedPasswords(installation.passwords, tracing),
	};
}

/** Single statements have no span: a request runs several, and each takes less time than recording a span. */
function tracedDb(db: Db, system: string, tracing: Tracing): Db {
	return {
		stores: db.stores,
		transaction: (work) =>
			tracing.inChild("database transaction", { "db.system.name": system }, () => db.transaction(work)),
	};
}

/** Includes the time in the queue. */
function tracedPasswords(passwords: PasswordHasher, tracing: Tracing): PasswordHasher {
	const inSpan = <T>(work: () => Promise<T>): Promise<T> => tracing.inChild("password hash", {}, work);
	return {
		check: passwords.check,
		hash: (...args) => inSpan(() => passwords.hash(...args)),
		verify: (...args) => inSpan(() => passwords.verify(...args)),
		verifyAbsent: (...args) => inSpan(() => passwords.verifyAbsent(...args)),
		checkRoom: passwords.checkRoom,
		needsRehash: passwords.needsRehash,
		get load() {
			return passwords.load;
		},
	};
}
