// Collects the values from environment and file, and reads one setting from them.

import { findNearestName } from "../kernel/nearest-name.ts";
import { ConfigError } from "./config-error.ts";
import { readConfigFile } from "./config-file.ts";
import type { Setting } from "./setting.ts";
import { ALL_SETTINGS, NAME_PREFIX, SETTINGS } from "./settings.ts";

/** The environment of a process: `process.env`, or one that a test provides. */
export type Environment = Readonly<Record<string, string | undefined>>;

interface Given {
	readonly text: string;
	/** The source file; undefined for the environment. */
	readonly file?: string;
}

const NAMES = ALL_SETTINGS.map((setting) => setting.name);
/** Line breaks and other control characters are not allowed in a value. */
const CONTROL = /\p{Cc}/u;
const SHOWN_LENGTH = 100;

/** The values that are set; an empty value counts as unset. */
export class GivenValues {
	readonly #given: ReadonlyMap<string, Given>;

	/** @throws ConfigError for an unknown `LATCHKEY_*` name or an unusable `LATCHKEY_CONFIG`. */
	constructor(env: Environment) {
		const given = new Map<string, Given>();
		collect(given, Object.entries(env), undefined);
		this.#given = given;
		const file = this.readOptional(SETTINGS.configFile);
		// The environment is collected first and takes precedence over the file.
		if (file !== null) collect(given, readConfigFile(file), file);
	}

	/** @throws ConfigError when the setting does not accept the text. */
	read<T>(setting: Setting<T, string>): T {
		return parse(setting, this.#given.get(setting.name) ?? { text: setting.default });
	}

	has({ name }: Setting<unknown>): boolean {
		return this.#given.has(name);
	}

	/** Names of the settings set in the environment, without `LATCHKEY_CONFIG`. */
	inEnvironment(): readonly string[] {
		const given = [...this.#given].filter(([, { file }]) => file === undefined).map(([name]) => name);
		return given.filter((name) => name !== SETTINGS.configFile.name);
	}

	/** null when the setting is unset. @throws ConfigError as `read`. */
	readOptional<T>(setting: Setting<T, null>): T | null {
		const given = this.#given.get(setting.name);
		return given === undefined ? null : parse(setting, given);
	}
}

function collect(
	into: Map<string, Given>,
	values: Iterable<readonly [string, string | undefined]>,
	file: string | undefined,
): void {
	for (const [name, text] of values) {
		if (text === undefined || !name.toUpperCase().startsWith(NAME_PREFIX)) continue;
		if (!NAMES.includes(name)) throw unknownName(name, file);
		if (text !== "" && !into.has(name)) into.set(name, file === undefined ? { text } : { text, file });
	}
}

/** Hides the value of an unknown name: it may be a secret under a mistyped name. */
function unknownName(name: string, file: string | undefined): ConfigError {
	const nearest = findNearestName(name, NAMES, NAME_PREFIX.length);
	const advice = nearest === undefined ? "docs/configuration.md lists all" : `did you mean ${nearest}?`;
	return new ConfigError(name, `${origin(file)}is not a setting; ${advice}`);
}

function parse<T>(setting: Setting<T>, given: Given): T {
	const parsed = hasStrayCharacters(setting, given.text)
		? { mustBe: "text without control characters, and without a space at its beginning or end" }
		: setting.parse(given.text);
	if ("value" in parsed) return parsed.value;
	const shown = setting.secret ? "is not usable (not shown)" : `is ${show(given.text)}`;
	throw new ConfigError(setting.name, `${origin(given.file)}${shown}; it must be ${parsed.mustBe}`);
}

/** Only a password may begin or end with a space. */
function hasStrayCharacters(setting: Setting<unknown>, text: string): boolean {
	return CONTROL.test(text) || (setting.name !== SETTINGS.adminPassword.name && text.trim() !== text);
}

/** The value on one line, shortened, without credentials of a URL where none are allowed. */
function show(text: string): string {
	const bare = text.replace(/\/\/[^/]*@/g, "//…@");
	return JSON.stringify(bare.length > SHOWN_LENGTH ? `${bare.slice(0, SHOWN_LENGTH)}…` : bare);
}

function origin(file: string | undefined): string {
	return file === undefined ? "" : `(in ${file}) `;
}
