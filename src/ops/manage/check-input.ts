// Validates the input of a command against the schema of the API's body.

import type { Schema } from "../../http/schema.ts";
import { validator } from "../../http/validation.ts";
import { StartError } from "../../kernel/start-error.ts";

/** Returns a function that trims and checks a body, with absent fields as undefined, and throws StartError (`usage`). */
export function inputOf<T>(schema: Schema<T>): (body: Readonly<Record<string, unknown>>) => T {
	const validate = validator(schema);
	return (body) => {
		const value: unknown = Object.fromEntries(
			Object.entries(body).filter(([, field]) => field !== undefined),
		);
		const result = validate(value);
		if (result === true) return value as T;
		throw new StartError(result.map(({ field, message }) => `${field} ${message}`).join("; "), {
			kind: "usage",
		});
	};
}
