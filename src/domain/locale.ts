// The languages of mails, and the choice of one for a request.

/** The languages of mails: each has a folder in `features/record/mail/texts/`. The first is the default. */
export const LOCALES = ["en", "zh-CN"] as const;
export type Locale = (typeof LOCALES)[number];

const SIMPLIFIED_CHINESE = /^zh(?:$|-(?:hans|cn|sg)(?:-|$))/;
const ACCEPT_LANGUAGE_MAX_LENGTH = 1_000;
const LANGUAGE_RANGE = /^([a-z]{1,8}(?:-[a-z0-9]{1,8})*|\*)$/;
const QUALITY = /^q=(0(?:\.[0-9]{0,3})?|1(?:\.0{0,3})?)$/;

/**
 * Chooses the language for an `Accept-Language` header (RFC 9110, 12.5.4): of the ranges that name a supported language,
 * the one with the highest weight, the first of equals; English when there is none. Chinese means Simplified Chinese:
 * `zh`, `zh-CN`, `zh-SG`, `zh-Hans…`. Skips malformed ranges. Reads at most 1,000 characters.
 */
export function parseLocale(acceptLanguage: string | undefined): Locale {
	let best: Locale = LOCALES[0];
	let bestWeight = 0;
	for (const part of (acceptLanguage ?? "").slice(0, ACCEPT_LANGUAGE_MAX_LENGTH).toLowerCase().split(",")) {
		const [range = "", ...parameters] = part.split(";").map((piece) => piece.trim());
		const locale = LANGUAGE_RANGE.test(range) ? localeOf(range) : undefined;
		const weight = weightOf(parameters);
		if (locale !== undefined && weight !== undefined && weight > bestWeight) {
			best = locale;
			bestWeight = weight;
		}
	}
	return best;
}

/**
 * The language of mails to a person: the one that the person has chosen, else that of the request that causes the mail.
 */
export function mailLocale(chosen: Locale | null | undefined, acceptLanguage: string): Locale {
	return chosen ?? parseLocale(acceptLanguage);
}

/** The language that a new user gets from the request; null when it names no language (`*` is none). */
export function localeOfRequest(acceptLanguage: string): Locale | null {
	return /[a-z]/i.test(acceptLanguage.replace(/;\s*q=/gi, "")) ? parseLocale(acceptLanguage) : null;
}

function localeOf(range: string): Locale | undefined {
	if (range === "*") return LOCALES[0];
	const [language] = range.split("-");
	if (language === "zh" && !SIMPLIFIED_CHINESE.test(range)) return undefined;
	return LOCALES.find((locale) => locale.split("-")[0] === language);
}

function weightOf(parameters: readonly string[]): number | undefined {
	if (parameters.length === 0) return 1;
	const quality = parameters.length === 1 ? QUALITY.exec(parameters[0] ?? "") : null;
	return quality === null ? undefined : Number(quality[1]);
}
