// The guard of `PUT /users/me`, which admits nobody: the answer is 405 whoever asks.

import type { Guard } from "../../http/guard.ts";
import { AppError } from "../../kernel/error.ts";

/** Refuses before a byte of the body is read, so that neither its size nor its form makes a difference. */
export const readOnlyGuard: Guard<never> = {
	security: "none",
	allows: "nobody",
	errors: ["user.read_only"],
	needsBody: false,
	admit() {
		throw new AppError("user.read_only", "the current user cannot be updated here", {
			headers: { allow: "GET" },
		});
	},
};
