// The shell blocks of an entry of docs/incidents.md, each of which its test runs in order.

import assert from "node:assert/strict";
import { OWN_POSTGRES_SKIPPED } from "../harness/databases/own-postgres.ts";
import { skippedWithout } from "../harness/processes/server-process.ts";
import { type OperatorShell, openShell, shellBlocks } from "../harness/runs/operator-shell.ts";
import type { TestService } from "../harness/service/service.ts";
import { commandSettings } from "../harness/service/service-database.ts";

const PAGE = "docs/incidents.md";

export const SHELL_SKIPPED = skippedWithout("bash", "curl", "jq");
export const SERVERS_SKIPPED: false | string =
	SHELL_SKIPPED || OWN_POSTGRES_SKIPPED || skippedWithout("psql", "redis-cli");

export interface Steps {
	/** Runs the next block. @returns standard output */
	next(shell: OperatorShell): Promise<string>;
	/** @throws AssertionError unless every block has run */
	end(): void;
}

export function stepsOf(heading: string): Steps {
	const blocks = shellBlocks(PAGE, heading);
	assert.ok(blocks.length > 0);
	let done = 0;
	return {
		next: (shell) => shell.run(blocks[done++]),
		end: () => assert.equal(done, blocks.length, `blocks of "${heading}"`),
	};
}

/** A shell with the settings of the service, and a folder `$EVIDENCE`. */
export async function shellBeside(service: TestService): Promise<OperatorShell> {
	const shell = openShell({
		...(await commandSettings(service.dataDir)),
		LATCHKEY_PORT: String(service.httpPort),
		LATCHKEY_HTTPS_PORT: String(service.httpsPort),
		NODE_URL: service.httpUrl,
	});
	shell.env.EVIDENCE = shell.serverFolder("evidence");
	return shell;
}
