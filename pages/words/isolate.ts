// Isolates names in texts, so that right-to-left names do not reorder the text around them (UAX #9).

const FIRST_STRONG_ISOLATE = "\u2068";
const POP_ISOLATE = "\u2069";
/** Right-to-left characters, and characters that change the direction. */
const RIGHT_TO_LEFT =
	"\\u0590-\\u08ff\\ufb1d-\\ufdff\\ufe70-\\ufefc\\u{10800}-\\u{10fff}\\u{1e800}-\\u{1efff}";
const TURNS = new RegExp(`[${RIGHT_TO_LEFT}\\u200e\\u200f\\u202a-\\u202e\\u2066-\\u2069]`, "u");
const RUNS = new RegExp(`[${RIGHT_TO_LEFT}](?:[${RIGHT_TO_LEFT}\\s]*[${RIGHT_TO_LEFT}])?`, "gu");
/** All format characters except the joiners of Persian, Hindi, and emoji. */
const INVISIBLE = /(?![\u200c\u200d])\p{Cf}/gu;

/** Returns words whose functions isolate each inserted text. */
export function isolating<Words>(words: Words): Words {
	if (typeof words === "function")
		return ((...values: readonly unknown[]) => words(...values.map(isolate))) as Words;
	if (typeof words !== "object" || words === null || Array.isArray(words)) return words;
	return Object.fromEntries(Object.entries(words).map(([name, text]) => [name, isolating(text)])) as Words;
}

/**
 * Isolates right-to-left runs in a text of the API, such as the summary of an event, and shows invisible characters as
 * escapes, as in JSON.
 */
export function isolateRuns(text: string): string {
	return text
		.replaceAll(INVISIBLE, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`)
		.replaceAll(RUNS, (run) => `${FIRST_STRONG_ISOLATE}${run}${POP_ISOLATE}`);
}

function isolate(value: unknown): unknown {
	return typeof value === "string" && TURNS.test(value)
		? `${FIRST_STRONG_ISOLATE}${value}${POP_ISOLATE}`
		: value;
}
