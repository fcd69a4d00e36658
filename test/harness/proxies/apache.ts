// Starts Apache with Debian's modules on its own ports, as a relying party or resource server.

import {
	chmodSync,
	copyFileSync,
	existsSync,
	mkdtempSync,
	readFileSync,
	rmSync,
	writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ServerProcess, startServerProcess } from "../processes/server-process.ts";

const MODULES = "/usr/lib/apache2/modules";
/** Modules that every server loads. */
const BASIC = ["mpm_event", "authn_core", "authz_core", "authz_user", "proxy", "proxy_http"];

export interface Apache extends AsyncDisposable {
	readonly process: ServerProcess;
	/** The error log so far. */
	log(): string;
}

export interface ApacheOptions {
	/** On 127.0.0.1. */
	readonly port: number;
	/** In addition to `BASIC`. */
	readonly modules: readonly string[];
	/** Lines of the configuration; `FOLDER` is replaced with the server's folder. */
	readonly settings: string;
	/** Files for the workers, by name in the server's folder. */
	readonly files?: Readonly<Record<string, string>>;
	readonly env?: NodeJS.ProcessEnv;
}

/** `false`, or the reason to skip tests with this module; with `CI` set, a missing module is a failure. */
export function apacheSkippedWithout(module: string): false | string {
	const isHere = process.env.CI !== undefined || existsSync(join(MODULES, `${module}.so`));
	return isHere ? false : `no ${module} on this machine`;
}

export async function startApache({
	port,
	modules,
	settings,
	files = {},
	env = {},
}: ApacheOptions): Promise<Apache> {
	const folder = mkdtempSync(join(tmpdir(), "latchkey-apache-"));
	const remove = () => rmSync(folder, { recursive: true, force: true });
	// When started as root, Apache runs its workers as another user.
	chmodSync(folder, 0o755);
	for (const [name, source] of Object.entries(files)) {
		copyFileSync(source, join(folder, name));
		chmodSync(join(folder, name), 0o644);
	}
	const lines = [
		`ServerRoot "${folder}"`,
		"ServerName localhost",
		`Listen 127.0.0.1:${port}`,
		`PidFile "${folder}/apache.pid"`,
		`DefaultRuntimeDir "${folder}"`,
		"User nobody",
		"Group nogroup",
		`ErrorLog "${folder}/apache.log"`,
		...[...BASIC, ...modules].map((name) => `LoadModule ${name}_module "${MODULES}/mod_${name}.so"`),
		settings.replaceAll("FOLDER", folder),
		"",
	];
	writeFileSync(join(folder, "apache.conf"), lines.join("\n"));
	const log = () => readFileSync(join(folder, "apache.log"), { encoding: "utf8", flag: "a+" });
	try {
		const args = ["-D", "FOREGROUND", "-f", join(folder, "apache.conf")];
		const process = await startServerProcess("apache2", args, { port, env });
		return {
			process,
			log,
			async [Symbol.asyncDispose]() {
				await process.end();
				remove();
			},
		};
	} catch (error) {
		const logged = log();
		remove();
		throw new Error(`Apache did not start:\n${logged}`, { cause: error });
	}
}
