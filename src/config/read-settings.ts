// Reads every setting from the environment and an optional file with one `NAME=value` per line.

import { readFileSync } from "node:fs";
import { parseEnv } from "node:util";
import { findNearestName } from "../kernel/nearest-name.ts";
import { readProblem } from "../kernel/start-error.ts";
import { ConfigError, type Setting } from "./setting.ts";
import { ADMIN_KEY_VARIABLE, ALL_SETTINGS, NAME_PREFIX, SECRET_FILES, SETTINGS } from "./settings.ts";

/** `process.env`, or an environment that a test provides. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The typed value of each setting; null where a setting without a default is unset. */
export type SettingValues = {
	readonly [Key in keyof typeof SETTINGS]: (typeof SETTINGS)[Key] extends Setting<infer T, infer D>
		? D extends null
			? T | null
			: T
		: never;
};

interface SettingText {
	readonly text: string;
	/** The variable that set it: the setting, or its `_FILE` variant. */
	readonly name: string;
	/** The source file; undefined for the environment. */
	readonly file?: string | undefined;
}

const NAMES = [...ALL_SETTINGS.map((setting) => setting.name), ...SECRET_FILES.keys()];
/** Line breaks and other control characters are not allowed in a value. */
const CONTROL = /\p{Cc}/u;
const SHOWN_LENGTH = 100;

/**
 * Empty values count as unset. `environment` lists the settings set there, without `LATCHKEY_CONFIG`.
 *
 * @throws ConfigError for an unknown `LATCHKEY_*` name, an unusable file, or a value that its setting does not accept.
 */
export function readSettings(env: Environment): {
	readonly values: SettingValues;
	readonly environment: readonly string[];
	readonly isSet: (setting: Setting<unknown>) => boolean;
} {
	const texts = new Map<string, SettingText>();
	collect(texts, Object.entries(env), undefined);
	const environment = [...texts.values()]
		.map(({ name }) => name)
		.filter((name) => name !== SETTINGS.configFile.name);
	const file = readValue(SETTINGS.configFile, texts);
	// The environment is read first and takes precedence over the file.
	if (file !== null) collect(texts, readConfigFile(file), file);
	const values = Object.entries(SETTINGS).map(([key, setting]) => [key, readValue<unknown>(setting, texts)]);
	return { values: Object.fromEntries(values), environment, isSet: ({ name }) => texts.has(name) };
}

function collect(
	into: Map<string, SettingText>,
	values: Iterable<readonly [string, string | undefined]>,
	file: string | undefined,
): void {
	const found = new Map<string, SettingText>();
	for (const [name, text] of values) {
		if (text === undefined || !name.toUpperCase().startsWith(NAME_PREFIX)) continue;
		if (name === ADMIN_KEY_VARIABLE && file === undefined) continue;
		if (!NAMES.includes(name)) throw unknownName(name, file);
		if (text === "") continue;
		const setting = SECRET_FILES.get(name) ?? name;
		const other = found.get(setting);
		if (other !== undefined)
			throw new ConfigError(setting, `${origin(file)}and ${setting}_FILE are both set; set one of them`);
		found.set(setting, { text, name, file });
	}
	for (const [setting, text] of found) if (!into.has(setting)) into.set(setting, text);
}

/** @param name the setting that names the file; `file`: where it is set. */
function readText(path: string, name: string, file: string | undefined): string {
	try {
		return readFileSync(path, "utf8");
	} catch (cause) {
		throw new ConfigError(name, `${origin(file)}names ${path}, which ${readProblem(cause)}`, { cause });
	}
}

/** Hides the value of an unknown name: it may be a secret under a mistyped name. */
function unknownName(name: string, file: string | undefined): ConfigError {
	const nearest = findNearestName(name, NAMES, NAME_PREFIX.length);
	const advice = nearest === undefined ? "docs/configuration.md lists all" : `did you mean ${nearest}?`;
	return new ConfigError(name, `${origin(file)}is not a setting; ${advice}`);
}

/** null when the setting is unset and has no default. */
function readValue<T>(setting: Setting<T>, texts: ReadonlyMap<string, SettingText>): T | null {
	const entry = texts.get(setting.name);
	const name = entry?.name ?? setting.name;
	const file = entry?.file;
	// A `_FILE` variant names a file with the secret; the line break at its end does not count.
	const isInFile = entry !== undefined && name !== setting.name;
	const text = isInFile ? readText(entry.text, name, file).replace(/\r?\n$/, "") : entry?.text;
	const value = text ?? setting.default;
	if (value === null) return null;
	const parsed = hasStrayCharacters(setting, value)
		? { mustBe: "text without control characters, and without a space at its beginning or end" }
		: setting.parse(value);
	if ("value" in parsed) return parsed.value;
	const shown = setting.secret ? "is not usable (not shown)" : `is ${show(value)}`;
	throw new ConfigError(name, `${origin(file)}${shown}; it must be ${parsed.mustBe}`);
}

/** Only a password may begin or end with a space, and a sender without a name with the space after that name. */
function hasStrayCharacters({ name }: Setting<unknown>, text: string): boolean {
	const counted = name === SETTINGS.mailFrom.name ? text.replace(/^ (?=<)/, "") : text;
	return CONTROL.test(text) || (name !== SETTINGS.adminPassword.name && counted.trim() !== counted);
}

/** The value on one line, shortened, without the credentials of a URL. */
function show(text: string): string {
	const bare = text.replace(/\/\/[^/]*@/g, "//…@");
	return JSON.stringify(bare.length > SHOWN_LENGTH ? `${bare.slice(0, SHOWN_LENGTH)}…` : bare);
}

function origin(file: string | undefined): string {
	return file === undefined ? "" : `(in ${file}) `;
}

const BLANK_OR_COMMENT = /^\s*(?:#.*)?$/;
const ASSIGNMENT = /^\s*(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)\s*=(.*)$/;
/** A quoted value, or an unquoted one without `#`, which would truncate it; then an optional comment. */
const WHOLE_VALUE = /^\s*(?:(?:"[^"]*"|'[^']*')\s*|[^"'`#\s][^#]*|)(?:(?<=\s)#.*)?$/;
/** A sender with its name in quotes, which belong to the value: `"Example, Inc." <accounts@example.com>`. */
const QUOTED_SENDER = /^\s*("[^"<>]*" ?<[^<>"'`#\s]+>)\s*(?:(?<=\s)#.*)?$/;

/**
 * The names and values in the file. Stricter than `parseEnv`, which silently skips or truncates what it cannot parse:
 * every line is blank, a comment, or one assignment, and each name occurs once.
 *
 * @throws ConfigError when the file is missing or unreadable, or a line is invalid. Values are not shown.
 */
function readConfigFile(path: string): ReadonlyMap<string, string> {
	const VARIABLE = SETTINGS.configFile.name;
	const values = new Map<string, string>();
	const lines = readText(path, VARIABLE, undefined)
		.replace(/^\uFEFF/, "")
		.split(/\r?\n/);
	for (const [index, line] of lines.entries()) {
		if (BLANK_OR_COMMENT.test(line)) continue;
		const [, name, value = ""] = ASSIGNMENT.exec(line) ?? [];
		const where = `(${path}) line ${index + 1}`;
		if (name === undefined) throw new ConfigError(VARIABLE, `${where} is not NAME=value`);
		if (name === VARIABLE) throw new ConfigError(VARIABLE, `${where} must not set ${VARIABLE} again`);
		if (values.has(name)) throw new ConfigError(VARIABLE, `${where} sets ${name} a second time`);
		const [, sender] = QUOTED_SENDER.exec(value) ?? [];
		if (sender === undefined && !WHOLE_VALUE.test(value)) {
			throw new ConfigError(VARIABLE, `${where} (${name}) needs its whole value in one pair of quotes`);
		}
		// Line by line: in the whole text, `NAME= ` with a trailing space would take the next line as its value.
		values.set(name, sender ?? parseEnv(line.trim())[name] ?? "");
	}
	return values;
}
