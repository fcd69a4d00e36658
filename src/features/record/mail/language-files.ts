// Reads the files of a language, `<mail>.txt` and `language.json`, from the package or from the operator's folder.

import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Locale } from "../../../domain/locale.ts";
import { MAIL_PARAMETERS, SECOND_FACTOR_CHANGES } from "../../../domain/mail-message.ts";
import { isMembers, type Members, parseJson } from "../../../kernel/shape.ts";
import { messageOf, readProblem, StartError } from "../../../kernel/start-error.ts";
import { type LetterTemplate, parseLetter, placeholdersOf } from "./letter-template.ts";

const LANGUAGE_FILE = "language.json";
/** Parameters without which a mail has no purpose. A text that replaces a built-in one must keep them. */
const NEEDED = /^code$|Url$/;

export interface Language {
	/** The BCP 47 tag for formatting dates. */
	readonly dates: string;
	/** The text around a time, which names UTC. */
	readonly time: string;
	/** The last line of each mail. */
	readonly signature: string;
	readonly signatureWithoutHost: string;
}

const LANGUAGE_PLACEHOLDERS: Readonly<Record<keyof Language, readonly string[]>> = {
	dates: [],
	time: ["time"],
	signature: ["host"],
	signatureWithoutHost: [],
};

export interface LanguageFiles {
	readonly language: Language;
	/** By the name of the file. */
	readonly templates: ReadonlyMap<string, LetterTemplate>;
	/** The texts that this language lacks; it uses those of the default language. */
	readonly missing: readonly string[];
}

/** The parameters of each text file by its name, which is `<kind>.<change>` if the text depends on the change. */
export const MAIL_TEXT_PARAMETERS: ReadonlyMap<string, readonly string[]> = new Map(
	Object.entries(MAIL_PARAMETERS).flatMap(([kind, parameters]) => {
		const { change, ...others } = { change: undefined, ...parameters };
		const files = change === undefined ? [kind] : SECOND_FACTOR_CHANGES.map((name) => `${kind}.${name}`);
		return files.map((file) => [file, Object.keys(others)] as const);
	}),
);

/** @throws Error that names a missing, superfluous, or malformed file. */
export function readLanguage(folder: string): LanguageFiles {
	const names = new Set([...MAIL_TEXT_PARAMETERS.keys()].map((name) => `${name}.txt`));
	for (const file of readdirSync(folder))
		if (file !== LANGUAGE_FILE && !names.has(file))
			throw new Error(`${join(folder, file)}: no mail has this text`);
	const templates = new Map<string, LetterTemplate>();
	for (const name of MAIL_TEXT_PARAMETERS.keys()) templates.set(name, readText(folder, name));
	return { language: readLanguageFile(join(folder, LANGUAGE_FILE), {}), templates, missing: [] };
}

/**
 * Reads the operator's folder, which has a subfolder for each language with any of the built-in texts. A language that is
 * not built in requires `language.json`; its missing texts are those of the default language. Skips names that begin with
 * a dot.
 *
 * @throws StartError that names the file: an unknown name or parameter, a mistake, or a missing link or code.
 */
export function readOwnLanguages(
	root: string,
	builtIn: ReadonlyMap<Locale, LanguageFiles>,
	byDefault: LanguageFiles,
): ReadonlyMap<Locale, LanguageFiles> {
	const languages = new Map<Locale, LanguageFiles>();
	try {
		for (const tag of visible(root)) {
			if (!isLanguageFolder(root, tag))
				throw new Error(`${join(root, tag)}: not a folder with the name of a language, such as fr or pt-BR`);
			languages.set(tag, readOwnLanguage(join(root, tag), builtIn.get(tag), byDefault));
		}
	} catch (error) {
		throw new StartError(`LATCHKEY_MAIL_TEXTS ${messageOf(error)}`, { cause: error });
	}
	return languages;
}

function readOwnLanguage(
	folder: string,
	builtIn: LanguageFiles | undefined,
	byDefault: LanguageFiles,
): LanguageFiles {
	const base = builtIn ?? byDefault;
	const templates = new Map(base.templates);
	const missing = new Set(builtIn === undefined ? templates.keys() : []);
	const files = visible(folder);
	for (const file of files.filter((name) => name !== LANGUAGE_FILE)) {
		const name = file.replace(/\.txt$/, "");
		if (file === name || !MAIL_TEXT_PARAMETERS.has(name))
			throw new Error(`${join(folder, file)}: no mail has this text`);
		const template = readText(folder, name);
		const replaced = byDefault.templates.get(name)?.placeholders ?? [];
		const left = replaced.find((needed) => NEEDED.test(needed) && !template.placeholders.includes(needed));
		if (left !== undefined) throw new Error(`${join(folder, file)}: {${left}} is left out`);
		templates.set(name, template);
		missing.delete(name);
	}
	const needsLanguage = builtIn === undefined || files.includes(LANGUAGE_FILE);
	const path = join(folder, LANGUAGE_FILE);
	const language = needsLanguage ? readLanguageFile(path, builtIn?.language ?? {}) : base.language;
	return { language, templates, missing: [...missing] };
}

function visible(folder: string): string[] {
	try {
		return readdirSync(folder)
			.filter((name) => !name.startsWith("."))
			.sort();
	} catch (cause) {
		throw new Error(`${folder} ${readProblem(cause)}`, { cause });
	}
}

function readFile(path: string): string {
	try {
		return readFileSync(path, "utf8");
	} catch (cause) {
		throw new UnreadableFile(`${path} ${readProblem(cause)}`, { cause });
	}
}

/** Its message contains the path. */
class UnreadableFile extends Error {}

function mistakeIn(path: string, error: unknown): Error {
	if (error instanceof UnreadableFile) return error;
	return new Error(`${path}: ${messageOf(error)}`, { cause: error });
}

function isLanguageFolder(root: string, tag: string): boolean {
	try {
		return Intl.getCanonicalLocales(tag)[0] === tag && statSync(join(root, tag)).isDirectory();
	} catch (error) {
		if (error instanceof RangeError) return false;
		throw error;
	}
}

function readText(folder: string, name: string): LetterTemplate {
	const path = join(folder, `${name}.txt`);
	try {
		const text = readFile(path).replaceAll("\r\n", "\n");
		return parseLetter(text, MAIL_TEXT_PARAMETERS.get(name) ?? []);
	} catch (error) {
		throw mistakeIn(path, error);
	}
}

function readLanguageFile(path: string, base: Partial<Language>): Language {
	try {
		const language: Members = { ...base, ...parseJson(isMembers, readFile(path)) };
		for (const name of Object.keys(language))
			if (!Object.hasOwn(LANGUAGE_PLACEHOLDERS, name)) throw new Error(`${name} is unknown`);
		const read = (name: keyof Language): string => {
			const [text, placeholders] = [language[name], LANGUAGE_PLACEHOLDERS[name]];
			if (typeof text === "string" && String(placeholdersOf(text)) === String(placeholders)) return text;
			throw new Error(`${name} must be a text with the placeholders [${placeholders}]`);
		};
		const dates = read("dates");
		Intl.getCanonicalLocales(dates);
		const [time, signature] = [read("time"), read("signature")];
		return { dates, time, signature, signatureWithoutHost: read("signatureWithoutHost") };
	} catch (error) {
		throw mistakeIn(path, error);
	}
}
