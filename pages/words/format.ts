// Dates, numbers and plurals in the chosen language, by Intl.

import { regionalTag } from "../region.ts";
import { language } from "./language.ts";

type Moment = string | number | Date;

export const format = {
	/** 22 Nov 2026 */
	date: (at: Moment) => dates({ dateStyle: "medium" }).format(new Date(at)),
	/** 08:15 */
	time: (at: Moment) => dates({ timeStyle: "short" }).format(new Date(at)),
	/** 22 Nov 2026, 08:15:30 GMT */
	dateTime: (at: Moment) => dates({ dateStyle: "medium", timeStyle: "long" }).format(new Date(at)),
	/** 22 Nov */
	day: (at: Moment) => dates({ month: "short", day: "numeric" }).format(new Date(at)),
	/** 22 Nov: a day of UTC */
	utcDay: (at: Moment) => dates({ month: "short", day: "numeric", timeZone: "UTC" }).format(new Date(at)),
	/** Sun 08:00 */
	weekdayTime: (at: Moment) =>
		dates({ weekday: "short", hour: "2-digit", minute: "2-digit" }).format(new Date(at)),
	number: (value: number, options: Intl.NumberFormatOptions = {}) =>
		new Intl.NumberFormat(regionalTag(language.value), options).format(value),
	/** 99.9%: rounded down, so that 100% means all. */
	share: (part: number, total: number) =>
		format.number(part / total, { style: "percent", maximumFractionDigits: 1, roundingMode: "floor" }),
	list: (items: readonly string[]) => new Intl.ListFormat(language.value).format(items),
	/** The plural form for a count; `#` is replaced by the number. */
	plural(
		count: number,
		forms: Partial<Record<Intl.LDMLPluralRule, string>> & { readonly other: string },
	): string {
		const rule = new Intl.PluralRules(language.value).select(count);
		return (forms[rule] ?? forms.other).replaceAll("#", format.number(count));
	},
};

function dates(options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
	return new Intl.DateTimeFormat(regionalTag(language.value), options);
}
