// The error for a setting that stops the start.

import { StartError } from "../kernel/start-error.ts";

/** A setting with an invalid value, or an unknown name. One line that begins with `variable`. */
export class ConfigError extends StartError {
	/** The `LATCHKEY_*` name to correct. */
	readonly variable: string;

	/** @param complaint what follows the name in the line: `must be …` */
	constructor(variable: string, complaint: string, options?: ErrorOptions) {
		super(`${variable} ${complaint}`, options);
		this.name = "ConfigError";
		this.variable = variable;
	}
}
