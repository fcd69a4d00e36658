// The refusals of the gate that several of its steps share.

import { AppError } from "../../../kernel/error.ts";

export function applicationDisabled(): AppError {
	return new AppError("application.disabled", "the application is disabled");
}

export function noRule(): AppError {
	return new AppError("gate.no_rule", "no rule of the gate covers this request");
}

/** @param header in lower case */
export function overridden(header: string): AppError {
	return new AppError(
		"gate.request",
		`remove the header ${header}: an application could read another method or path from it`,
	);
}

export function proofMissing(): AppError {
	return new AppError(
		"token.missing",
		"sign the request, send Authorization: Bearer <access token>, or sign in",
	);
}
