// Temporary folders, and snapshots that show whether a folder changed.

import { cpSync, existsSync, lstatSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sha256Hex } from "../../../src/crypto/digest.ts";

/** Creates an empty folder (0700) in `parent` that is removed when its `using` scope ends. */
export function temporaryFolder(parent = tmpdir()): { readonly path: string } & Disposable {
	const path = mkdtempSync(join(parent, "latchkey-test-"));
	return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}

const lasting = new DisposableStack();
process.once("exit", () => lasting.dispose());

/** Creates an empty folder (0700) that is removed when the process exits, after all that uses it. @returns its path */
export function lastingFolder(): string {
	return lasting.use(temporaryFolder()).path;
}

/** Copies a stopped installation with modes and times to a temporary folder. */
export function copyOf(dataDir: string): { readonly path: string } & Disposable {
	const folder = temporaryFolder();
	cpSync(dataDir, folder.path, { recursive: true, preserveTimestamps: true });
	return folder;
}

/** Every path in the folder with its mode, and the content and mtime of files; `[]` if there is no folder. */
export function snapshot(path: string): string[] {
	if (!existsSync(path)) return [];
	const paths = ["", ...readdirSync(path, { recursive: true }).map(String).sort()];
	return paths.map((name) => describePath(join(path, name), name));
}

function describePath(path: string, name: string): string {
	const stats = lstatSync(path);
	const mode = (stats.mode & 0o7777).toString(8);
	if (!stats.isFile()) return `${mode} ${name}/`;
	return `${mode} ${name} ${stats.mtimeMs} ${sha256Hex(readFileSync(path))}`;
}
