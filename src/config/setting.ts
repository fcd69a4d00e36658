// A row in the settings table, the result of its parser, and the error for a bad value.

import { StartError } from "../kernel/start-error.ts";

/** The typed value, or the requirement, worded to follow `NAME must be `. */
export type Parsed<T> = { readonly value: T } | { readonly mustBe: string };

/** `D` is `string` for a setting with a default and `null` for one without. */
export interface Setting<T, D extends string | null = string | null> {
	/** The environment variable, `LATCHKEY_…`. */
	readonly name: string;
	/** The unit of a number, `""` if the value is no quantity. */
	readonly unit: string;
	/** As text; parsed like a configured value. */
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

/** A setting with an invalid value, or an unknown name. One line that begins with `variable`. */
export class ConfigError extends StartError {
	/** The `LATCHKEY_*` name to correct. */
	readonly variable: string;

	/** @param complaint what follows the name in the message: `must be …` */
	constructor(variable: string, complaint: string, options?: ErrorOptions) {
		super(`${variable} ${complaint}`, options);
		this.name = "ConfigError";
		this.variable = variable;
	}
}
