// What is in deploy/, read as its readers read it.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseAllDocuments } from "yaml";

export const DEPLOY = join(import.meta.dirname, "../../deploy");

/** Parsed YAML; its shape is for the test to know. */
export type Yaml = ReturnType<typeof JSON.parse>;

export function readDelivered(path: string): string {
	return readFileSync(join(DEPLOY, path), "utf8");
}

/** Every document of the file. @throws Error at anything that is not quite right, a key given twice among it. */
export function readYaml(path: string): Yaml[] {
	return parseAllDocuments(readDelivered(path), { merge: true, strict: true, uniqueKeys: true }).map(
		(document) => {
			const [trouble] = [...document.errors, ...document.warnings];
			if (trouble !== undefined) throw trouble;
			return document.toJS();
		},
	);
}

/** `NAME=value` a line; those behind a comment sign too when asked. Quotes around a value are left out. */
export function readEnvFile(path: string, { commented = false } = {}): Record<string, string> {
	const line = commented ? /^#?([A-Z][A-Z0-9_]*)=(.*)$/gm : /^([A-Z][A-Z0-9_]*)=(.*)$/gm;
	const found = [...readDelivered(path).matchAll(line)];
	return Object.fromEntries(
		found.map(([, name, value = ""]) => [name, value.replace(/^(["'])(.*)\1$/, "$2")]),
	);
}
