// The guard of `PUT /users/me`, which refuses every request with 405.

import type { Guard } from "../../../http/describe/guard.ts";
import { AppError } from "../../../kernel/error.ts";

/** Refuses the request before its body is read, so neither its size nor its form matters. */
export const readOnlyGuard: Guard<never> = {
	security: "none",
	transport: "confidential",
	allows: "no caller",
	errors: ["user.read_only"],
	admit() {
		throw new AppError("user.read_only", "the current user cannot be updated here", {
			headers: { allow: "GET, PATCH, DELETE" },
		});
	},
};
