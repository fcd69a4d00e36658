// The shape of a row in the settings table.

import type { Parsed } from "./parsed.ts";

/** `D` is `string` for a setting with a default and `null` for one that may stay unset. */
export interface Setting<T, D extends string | null = string | null> {
	/** The environment variable, `LATCHKEY_…`. */
	readonly name: string;
	/** The unit of a number, `""` if the value is no quantity. */
	readonly unit: string;
	/** As text, parsed like a value that is set. */
	readonly default: D;
	/** The row's text in `docs/configuration.md`, verbatim; states what unset means. */
	readonly meaning: string;
	/** A valid value; for a secret, a shell command that generates one. */
	readonly example: string;
	/** The value of a secret never appears in an error. */
	readonly secret: boolean;
	/** Parses non-empty text. */
	readonly parse: (text: string) => Parsed<T>;
}
