// Reads the files in deploy/.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseAllDocuments } from "yaml";

export const DEPLOY = join(import.meta.dirname, "../../deploy");

/** Parsed YAML of any shape. */
export type Yaml = ReturnType<typeof JSON.parse>;

export function readDelivered(path: string): string {
	return readFileSync(join(DEPLOY, path), "utf8");
}

/** All documents in the file. */
export function readYaml(path: string): Yaml[] {
	return parseYaml(readDelivered(path));
}

/** All documents in the text. @throws Error for any error or warning, such as a duplicate key. */
export function parseYaml(text: string): Yaml[] {
	return parseAllDocuments(text, { merge: true, strict: true, uniqueKeys: true }).map((document) => {
		const [trouble] = [...document.errors, ...document.warnings];
		if (trouble !== undefined) throw trouble;
		return document.toJS();
	});
}

/** One `NAME=value` per line, optionally including commented ones. Removes quotes around values. */
export function readEnvFile(path: string, { commented = false } = {}): Record<string, string> {
	const line = commented ? /^#?([A-Z][A-Z0-9_]*)=(.*)$/gm : /^([A-Z][A-Z0-9_]*)=(.*)$/gm;
	const found = [...readDelivered(path).matchAll(line)];
	return Object.fromEntries(
		found.map(([, name, value = ""]) => [name, value.replace(/^(["'])(.*)\1$/, "$2")]),
	);
}
