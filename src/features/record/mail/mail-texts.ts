// The texts of all mails, one folder a language: `texts/<language>/<kind>.txt` and `language.json`.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { LOCALES, type Locale } from "../../../domain/locale.ts";
import {
	MAIL_PARAMETERS,
	type MailKind,
	type MailMessage,
	SECOND_FACTOR_CHANGES,
} from "../../../domain/mail-message.ts";
import { RECOVERY_CODES_FEW } from "../../../domain/recovery-code.ts";
import type { Letter } from "./layout.ts";
import { fillLetter, fillText, type LetterTemplate, parseLetter, placeholdersOf } from "./letter-template.ts";

const FOLDER = join(import.meta.dirname, "texts");
const LANGUAGE_FILE = "language.json";
const TIME = /(^a|A)t$/;

interface Language {
	/** The BCP 47 tag that dates are written by. */
	readonly dates: string;
	/** Around a time: all times are in UTC and say so. */
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

/** All mails in one language. */
export interface MailTexts {
	/** @throws Error for a kind that another version wrote, and for a time that is not ISO 8601. */
	write(message: MailMessage): Letter;
	signature(host: string): string;
}

/** The parameters of each text file by its name; `<kind>.<change>` where the text depends on the change. */
export const MAIL_TEXT_PARAMETERS: ReadonlyMap<string, readonly string[]> = new Map(
	(Object.keys(MAIL_PARAMETERS) as MailKind[]).flatMap((kind) => {
		const { change, ...others } = { change: undefined, ...MAIL_PARAMETERS[kind] };
		const files = change === undefined ? [kind] : SECOND_FACTOR_CHANGES.map((name) => `${kind}.${name}`);
		return files.map((file) => [file, Object.keys(others)] as const);
	}),
);

const loaded = new Map<Locale, MailTexts>();

/** Reads every language once. @throws Error that names the file: the package is broken, the service must not start. */
export function loadMailTexts(): ReadonlyMap<Locale, MailTexts> {
	for (const locale of LOCALES)
		if (!loaded.has(locale)) loaded.set(locale, readLanguage(join(FOLDER, locale)));
	return loaded;
}

/** @throws Error that names the file when one is missing, superfluous or wrong. */
export function readLanguage(folder: string): MailTexts {
	for (const file of readdirSync(folder))
		if (file !== LANGUAGE_FILE && !MAIL_TEXT_PARAMETERS.has(file.replace(/\.txt$/, "")))
			throw new Error(`${join(folder, file)}: no mail has this text`);
	const templates = new Map<string, LetterTemplate>();
	for (const [name, parameters] of MAIL_TEXT_PARAMETERS) {
		const path = join(folder, `${name}.txt`);
		try {
			templates.set(name, parseLetter(readFileSync(path, "utf8"), parameters));
		} catch (error) {
			throw new Error(`${path}: ${(error as Error).message}`, { cause: error });
		}
	}
	return createTexts(parseLanguage(join(folder, LANGUAGE_FILE)), templates);
}

function parseLanguage(path: string): Language {
	const language = JSON.parse(readFileSync(path, "utf8")) as Language;
	for (const [name, placeholders] of Object.entries(LANGUAGE_PLACEHOLDERS))
		if (String(placeholdersOf(String(language[name as keyof Language]))) !== String(placeholders))
			throw new Error(`${path}: ${name} must be a text with the placeholders [${placeholders}]`);
	return language;
}

function createTexts(language: Language, templates: ReadonlyMap<string, LetterTemplate>): MailTexts {
	const dates = new Intl.DateTimeFormat(language.dates, {
		dateStyle: "long",
		timeStyle: "short",
		timeZone: "UTC",
	});
	const readableTime = (iso: string): string => fillText(language.time, () => dates.format(new Date(iso)));
	return {
		write(message) {
			const name = "change" in message ? `${message.kind}.${message.change}` : message.kind;
			const template = templates.get(name);
			if (template === undefined) throw new Error(`unknown kind of mail: ${name}`);
			const values = new Map<string, string | number>(Object.entries(message));
			const fill = (parameter: string): string => {
				const value = String(values.get(parameter) ?? "");
				return TIME.test(parameter) && value !== "" ? readableTime(value) : value;
			};
			return fillLetter(template, fill, (parameter) => Number(values.get(parameter)) <= RECOVERY_CODES_FEW);
		},
		signature: (host) =>
			host === "" ? language.signatureWithoutHost : fillText(language.signature, () => host),
	};
}
