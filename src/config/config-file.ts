// Reads a settings file with one `NAME=value` per line.

import { readFileSync } from "node:fs";
import { parseEnv } from "node:util";
import { systemCode } from "../kernel/start-error.ts";
import { ConfigError } from "./setting.ts";

const VARIABLE = "LATCHKEY_CONFIG";
const BLANK_OR_COMMENT = /^\s*(?:#.*)?$/;
const ASSIGNMENT = /^\s*(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)\s*=(.*)$/;
/** A quoted value, or an unquoted one without `#`, which would truncate it; then an optional comment. */
const WHOLE_VALUE = /^\s*(?:(?:"[^"]*"|'[^']*')\s*|[^"'`#\s][^#]*|)(?:(?<=\s)#.*)?$/;

/**
 * The names and values in the file. Stricter than `parseEnv`, which silently skips or truncates what it cannot parse:
 * every line is blank, a comment, or one assignment, and each name occurs once.
 *
 * @throws ConfigError when the file is missing or unreadable, or a line is invalid. Values are not shown.
 */
export function readConfigFile(path: string): ReadonlyMap<string, string> {
	const values = new Map<string, string>();
	for (const [index, line] of readText(path).split(/\r?\n/).entries()) {
		if (BLANK_OR_COMMENT.test(line)) continue;
		const [, name, value = ""] = ASSIGNMENT.exec(line) ?? [];
		const where = `(${path}) line ${index + 1}`;
		if (name === undefined) throw new ConfigError(VARIABLE, `${where} is not NAME=value`);
		if (name === VARIABLE) throw new ConfigError(VARIABLE, `${where} must not set ${VARIABLE} again`);
		if (values.has(name)) throw new ConfigError(VARIABLE, `${where} sets ${name} a second time`);
		if (!WHOLE_VALUE.test(value)) {
			throw new ConfigError(VARIABLE, `${where} (${name}) needs its whole value in one pair of quotes`);
		}
		// Line by line: in the whole text, `NAME= ` with a trailing space would take the next line as its value.
		values.set(name, parseEnv(line.trim())[name] ?? "");
	}
	return values;
}

function readText(path: string): string {
	try {
		return readFileSync(path, "utf8").replace(/^\uFEFF/, "");
	} catch (cause) {
		const code = systemCode(cause);
		const problem = code === "ENOENT" ? "which does not exist" : `which cannot be read (${code})`;
		throw new ConfigError(VARIABLE, `names ${path}, ${problem}`, { cause });
	}
}
