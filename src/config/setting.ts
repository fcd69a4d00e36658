// The shape of one row in the table of settings.

import type { Parsed } from "./parsed.ts";

/** `D` is `string` for a setting with a default and `null` for one that may be unset. */
export interface Setting<T, D extends string | null = string | null> {
	/** The environment variable, `LATCHKEY_…`. */
	readonly name: string;
	/** What a number counts, `""` when the value is no quantity. */
	readonly unit: string;
	/** As text, read by the same parser as a given value. */
	readonly default: D;
	/** One row's text for the reader of `docs/configuration.md`, word for word; says what unset means. */
	readonly meaning: string;
	/** A value that may be given; for a secret, a shell command that makes one. */
	readonly example: string;
	/** A secret's value never appears in an error. */
	readonly secret: boolean;
	/** Reads text that is not empty. */
	readonly parse: (text: string) => Parsed<T>;
}
