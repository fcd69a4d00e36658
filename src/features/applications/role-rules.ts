// What the shape of a role's fields alone cannot say.

import { AppError, invalidEntries, invalidField } from "../../kernel/error.ts";
import { parseId } from "../../kernel/id.ts";

/** Grants name roles by name or id, so a name must not look like an id. @throws AppError `request.invalid`. */
export function checkRoleName(name: string): void {
	if (parseId(name) !== undefined) throw invalidField("name", "must not be a UUID: that is how ids look");
}

/** @throws AppError `request.invalid`, with every repeated entry as `permissions.<index>`. */
export function checkPermissions(permissions: readonly string[]): void {
	const problems = permissions.flatMap((permission, index) =>
		permissions.indexOf(permission) < index ? [{ index, message: "is given twice" }] : [],
	);
	if (problems.length > 0) throw invalidEntries("permissions", problems);
}

export function roleNotFound(): AppError {
	return new AppError("application_role.not_found", "no such role of this application");
}

export function roleNameTaken(name: string): AppError {
	return new AppError("application_role.name_taken", `the application has a role named ${name} already`, {
		fields: [{ field: "name", message: "is taken by another role of the application" }],
	});
}
