// What the wordings of all mails share: their type, and how they write names and times.

import type { Letter } from "./layout.ts";
import type { Locale, MailKind, MailMessage } from "./model.ts";

/** How one kind of mail reads in each language. Parameters arrive free of control characters. */
export type Wording<K extends MailKind> = Readonly<Record<Locale, (message: MailMessage<K>) => Letter>>;

const DATE_FORMATS: Readonly<Record<Locale, Intl.DateTimeFormat>> = {
	en: new Intl.DateTimeFormat("en-GB", { dateStyle: "long", timeStyle: "short", timeZone: "UTC" }),
	"zh-CN": new Intl.DateTimeFormat("zh-CN", { dateStyle: "long", timeStyle: "short", timeZone: "UTC" }),
};

/**
 * An ISO 8601 time for a reader: `28 November 2026 at 08:00 UTC`. Always UTC and said so, since nobody knows where
 * the mail is read. @throws RangeError when it is no time.
 */
export function readableTime(iso: string, locale: Locale): string {
	const time = DATE_FORMATS[locale].format(new Date(iso));
	return locale === "en" ? `${time} UTC` : `${time}（UTC）`;
}

const LINK_STARTS = /:\/\/|www\.|\.(?=\p{L}{2,24}\/)/giu;

/**
 * Text a stranger entered, so written that mail programs do not make links of it: an anonymous form must not become
 * a way to send somebody else's links under our name. Looks the same; a zero-width space stands after the `://`.
 */
export function unlinked(text: string): string {
	return text.replace(LINK_STARTS, "$&\u200b");
}
