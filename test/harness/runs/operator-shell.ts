// Runs the shell blocks of a document as an operator types them: in bash, with `latchkey` in the path.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { chmodSync, chownSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { readDocument, sections } from "../../docs/document.ts";
import { OWN_POSTGRES_SKIPPED, postgresPrograms, serverOwner } from "../databases/own-postgres.ts";
import { temporaryFolder } from "./folder.ts";

const ENTRY = join(import.meta.dirname, "../../../bin/latchkey.js");
const BLOCK = /^```sh\n(.*?)^```$/gms;
/** Blocks that begin like this run on the machine of PostgreSQL, as its user. */
const ON_DATABASE_SERVER = /^(?:pg_|cp |mv )/;

export interface OperatorShell {
	/** The variables of the blocks, and the settings of `latchkey`. */
	readonly env: Record<string, string>;
	/** A path in the temporary folder of the shell. */
	place(name: string): string;
	/** Creates a folder that the user of PostgreSQL may write to. @returns its path */
	serverFolder(name: string): string;
	/** @returns standard output. @throws Error unless each command of the block succeeds */
	run(block: string | undefined): Promise<string>;
	[Symbol.dispose](): void;
}

/** The shell blocks of a document, or of the part under one `## ` heading. */
export function shellBlocks(path: string, heading?: string): string[] {
	const text = readDocument(path);
	const part = heading === undefined ? text : sections(text).get(heading);
	assert.ok(part !== undefined, `${path} has no heading ${heading}`);
	return [...part.matchAll(BLOCK)].map(([, block = ""]) => block);
}

export function openShell(variables: Readonly<Record<string, string>> = {}): OperatorShell {
	const folder = temporaryFolder();
	const owner = serverOwner();
	const place = (name: string): string => join(folder.path, name);
	// The user of PostgreSQL enters its own folders in it.
	chmodSync(folder.path, 0o711);
	mkdirSync(place("bin"));
	writeFileSync(place("bin/latchkey"), `#!/bin/sh\nexec "${process.execPath}" "${ENTRY}" "$@"\n`, {
		mode: 0o755,
	});
	const servers = OWN_POSTGRES_SKIPPED === false ? `:${postgresPrograms()}` : "";
	const env: Record<string, string> = {
		PATH: `${place("bin")}${servers}:${process.env.PATH}`,
		HOME: folder.path,
		LATCHKEY_DATA_DIR: place("data"),
		...variables,
	};
	return {
		env,
		place,
		serverFolder(name) {
			mkdirSync(place(name));
			if (owner !== undefined) chownSync(place(name), owner.uid, owner.gid);
			return place(name);
		},
		async run(block) {
			assert.ok(block, "no such block");
			const user = ON_DATABASE_SERVER.test(block) ? owner : undefined;
			const options = { env, cwd: folder.path, ...user };
			return (await promisify(execFile)("bash", ["--norc", "-euo", "pipefail", "-c", block], options)).stdout;
		},
		[Symbol.dispose]: () => folder[Symbol.dispose](),
	};
}
