// The texts of all mails by language: the built-in texts in `texts/`, overridden by those in the operator's folder.

import { join } from "node:path";
import { addLocale, BUILT_IN_LOCALES, type Locale } from "../../../domain/locale.ts";
import type { MailMessage } from "../../../domain/mail-message.ts";
import { RECOVERY_CODES_FEW } from "../../../domain/second-factor.ts";
import { type LanguageFiles, readLanguage, readOwnLanguages } from "./language-files.ts";
import type { Letter } from "./layout.ts";
import { fillLetter, fillText } from "./letter-template.ts";

const FOLDER = join(import.meta.dirname, "texts");
const TIME = /(^a|A)t$/;

/** All mails in one language. */
interface LanguageTexts {
	/** @throws Error for a kind of another version, and for a time that is not ISO 8601. */
	write(message: MailMessage): Letter;
	signature(host: string): string;
	/** The mails without a text in this language, which use the default language. */
	readonly missing: readonly string[];
}

/** All mails in all languages. */
export interface MailTexts {
	readonly locales: readonly Locale[];
	/** Falls back to the default language: the operator may have removed the folder since the mail was created. */
	of(locale: Locale): LanguageTexts;
}

const loaded = new Map<string | null, MailTexts>();

/**
 * Reads the texts of each folder once and registers its languages with `parseLocale`.
 *
 * @param folder the operator's folder; null for the built-in texts only
 * @throws StartError for a mistake in that folder; Error for a built-in file, which means the package is broken.
 */
export function loadMailTexts(folder: string | null = null): MailTexts {
	const known = loaded.get(folder);
	if (known !== undefined) return known;
	const [defaultLocale, ...others] = BUILT_IN_LOCALES;
	const byDefault = readLanguage(join(FOLDER, defaultLocale));
	const builtIn = new Map<Locale, LanguageFiles>([[defaultLocale, byDefault]]);
	for (const locale of others) builtIn.set(locale, readLanguage(join(FOLDER, locale)));
	const own = folder === null ? [] : readOwnLanguages(folder, builtIn, byDefault);
	const languages = new Map<Locale, LanguageTexts>();
	for (const [locale, files] of [...builtIn, ...own]) {
		addLocale(locale);
		languages.set(locale, createTexts(files));
	}
	const fallback = languages.get(BUILT_IN_LOCALES[0]) as LanguageTexts;
	const texts = { locales: [...languages.keys()], of: (locale: Locale) => languages.get(locale) ?? fallback };
	loaded.set(folder, texts);
	return texts;
}

function createTexts({ language, templates, missing }: LanguageFiles): LanguageTexts {
	let dates: Intl.DateTimeFormat | undefined;
	const readableTime = (iso: string): string => {
		// Created for the first mail with a time, because it takes 15 ms and 8 MB.
		dates ??= new Intl.DateTimeFormat(language.dates, {
			dateStyle: "long",
			timeStyle: "short",
			timeZone: "UTC",
		});
		const shown = dates.format(new Date(iso));
		return fillText(language.time, () => shown);
	};
	return {
		missing,
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
