// Debian's glewlwyd with SQLite and the tables and settings of its package: the user of a session.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout } from "node:timers/promises";
import { gunzipSync } from "node:zlib";

const DOCUMENTS = "/usr/share/doc/glewlwyd";
const FIRST_PERSON = { username: "admin", password: "password" };
const START_LIMIT_MS = 10_000;
const PAUSE_MS = 100;

// Exits without a message if it is not installed.
if (!existsSync("/usr/bin/glewlwyd")) process.exit(1);
const database = join(import.meta.dirname, "glewlwyd.db");
const tables = new DatabaseSync(database);
tables.exec(unpacked("database/init.sqlite3.sql.gz"));
tables.close();
const settings = join(import.meta.dirname, "glewlwyd.conf");
// A log line for each request would cost more than the request.
const sample = unpacked("glewlwyd.conf.sample.gz").replace(/^log_level=.*/m, 'log_level="ERROR"');
writeFileSync(settings, sample.replace(/^(\s*path = ).*/m, `$1"${database}"`));
const port = await freePort();
const server = spawn("glewlwyd", ["--config-file", settings, "--port", String(port)], { stdio: "ignore" });
process.on("exit", () => server.kill("SIGKILL"));
process.on("SIGTERM", () => process.exit(0));
process.on("disconnect", () => process.exit(0));

const signedIn = await signIn();
const cookie = signedIn.headers
	.getSetCookie()
	.map((text) => text.split(";", 1)[0])
	.join("; ");
process.send({ port, pid: server.pid, path: "/api/profile_list", headers: { Cookie: cookie } });

function unpacked(path) {
	return gunzipSync(readFileSync(join(DOCUMENTS, path))).toString();
}

async function freePort() {
	const listener = createServer().listen(0, "127.0.0.1");
	await once(listener, "listening");
	const { port } = listener.address();
	listener.close();
	return port;
}

/** Retries until the server listens. */
async function signIn() {
	const signal = AbortSignal.timeout(START_LIMIT_MS);
	for (;;) {
		try {
			return await fetch(`http://127.0.0.1:${port}/api/auth/`, {
				method: "POST",
				headers: { "content-type": "application/json" },
				body: JSON.stringify(FIRST_PERSON),
				signal,
			});
		} catch (error) {
			if (signal.aborted) throw error;
			await setTimeout(PAUSE_MS);
		}
	}
}
