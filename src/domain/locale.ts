// The languages of mails, and how one is chosen for a request.

/** The BCP 47 tag of a language in which mails are written. */
export type Locale = string;

/** Each has a directory in `features/record/mail/texts/`. The first is the default. */
export const BUILT_IN_LOCALES = ["en", "zh-CN"] as const;

const known: [Locale, ...Locale[]] = [...BUILT_IN_LOCALES];
/**
 * The languages of mails in this process, the default first. The start of a service adds those of the operator's
 * folder.
 */
export const LOCALES: readonly [Locale, ...Locale[]] = known;

/** Call before schemas are compiled and requests are served. */
export function addLocale(locale: Locale): void {
	if (!known.includes(locale)) known.push(locale);
}

const SIMPLIFIED_CHINESE = /^zh(?:$|-(?:hans|cn|sg)(?:-|$))/;
const ACCEPT_LANGUAGE_MAX_LENGTH = 1_000;
const LANGUAGE_RANGE = /^([a-z]{1,8}(?:-[a-z0-9]{1,8})*|\*)$/;
const QUALITY = /^q=(0(?:\.[0-9]{0,3})?|1(?:\.0{0,3})?)$/;

/**
 * Chooses the language for an `Accept-Language` header (RFC 9110, 12.5.4): of the ranges that name a supported
 * language, the one with the highest weight, the first of equals; English when there is none. A range names a language
 * by its tag, a shorter one (RFC 4647, 3.4), or another of the same language, but Chinese without a region means
 * Simplified Chinese:
 * `zh`, `zh-CN`, `zh-SG`, `zh-Hans…`. Skips malformed ranges. Reads at most 1,000 characters.
 */
export function parseLocale(
	acceptLanguage: string | undefined,
	locales: readonly Locale[] = LOCALES,
): Locale {
	let best: Locale = LOCALES[0];
	let bestWeight = 0;
	for (const part of (acceptLanguage ?? "").slice(0, ACCEPT_LANGUAGE_MAX_LENGTH).toLowerCase().split(",")) {
		const [range = "", ...parameters] = part.split(";").map((piece) => piece.trim());
		const locale = LANGUAGE_RANGE.test(range) ? localeOf(range, locales) : undefined;
		const weight = weightOf(parameters);
		if (locale !== undefined && weight !== undefined && weight > bestWeight) {
			best = locale;
			bestWeight = weight;
		}
	}
	return best;
}

/** The language of mails to a user: the user's choice, or else that of the request that causes the mail. */
export function mailLocale(chosen: Locale | null | undefined, acceptLanguage: string): Locale {
	return chosen ?? parseLocale(acceptLanguage);
}

/** The language that a new user gets from the request; null when it specifies none (`*` is none). */
export function localeOfRequest(acceptLanguage: string): Locale | null {
	return /[a-z]/i.test(acceptLanguage.replace(/;\s*q=/gi, "")) ? parseLocale(acceptLanguage) : null;
}

function localeOf(range: string, locales: readonly Locale[]): Locale | undefined {
	if (range === "*") return LOCALES[0];
	const [language, ...subtags] = range.split("-");
	for (let length = subtags.length; length >= 0; length--) {
		const tag = [language, ...subtags.slice(0, length)].join("-");
		const found = locales.find((locale) => locale.toLowerCase() === tag);
		if (found !== undefined) return found;
	}
	if (language === "zh") return SIMPLIFIED_CHINESE.test(range) ? "zh-CN" : undefined;
	return locales.find((locale) => locale.split("-")[0] === language);
}

function weightOf(parameters: readonly string[]): number | undefined {
	if (parameters.length === 0) return 1;
	const quality = parameters.length === 1 ? QUALITY.exec(parameters[0] ?? "") : null;
	return quality === null ? undefined : Number(quality[1]);
}
