// The texts of all mails by language: the built-in ones of `texts/`, and those of the operator's folder over them.

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
export interface LanguageTexts {
	/** @throws Error for a kind that another version wrote, and for a time that is not ISO 8601. */
	write(message: MailMessage): Letter;
	signature(host: string): string;
	/** The mails that are written in the default language, since this one has no text for them. */
	readonly missing: readonly string[];
}

/** All mails in all languages. */
export interface MailTexts {
	readonly locales: readonly Locale[];
	/** The default language for one without texts: an operator may have removed its folder since the mail was written. */
	of(locale: Locale): LanguageTexts;
}

const loaded = new Map<string | null, MailTexts>();

/**
 * Reads the texts once a folder, and makes its languages known to `parseLocale`.
 *
 * @param folder the operator's; null: the built-in texts only.
 * @throws StartError for a mistake in that folder; Error that names a built-in file: the package is broken.
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
		// With the first time in a mail: making it takes 15 ms and 8 MB.
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
