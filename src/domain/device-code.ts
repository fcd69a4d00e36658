// A device that waits for its user (RFC 8628): the code that the user types, and what the device requested.

import { AppError } from "../kernel/error.ts";
import { typedCode } from "../kernel/typed-code.ts";
import type { RequestedScopes } from "./oauth-consent.ts";

/** How long a user has to decide. */
export const DEVICE_CODE_SECONDS = 600;
/** How often a device may poll for the decision. */
export const POLL_SECONDS = 5;
/** Has no vowels, so that it spells no words, and no digits that look like letters (RFC 8628, section 6.1). */
export const USER_CODE = /^[BCDFGHJKLMNPQRSTVWXZ]{8}$/;
/** The maximum length of a code as typed. */
export const USER_CODE_TEXT_MAX = 40;

export interface DeviceRequest {
	readonly clientId: string;
	readonly asked: RequestedScopes;
	/** The IP address of the device. */
	readonly ip: string;
	readonly createdAtMs: number;
	readonly expiresAtMs: number;
}

/** The same error for every reason, so that it does not reveal which codes exist. */
export function deviceNotFound(): AppError {
	return new AppError("device.not_found", "this code is wrong, was used or has expired");
}

/** The code without case, spaces, and dashes. Undefined for text that cannot be a code. */
export function parseUserCode(typed: string): string | undefined {
	const code = typedCode(typed).toUpperCase();
	return USER_CODE.test(code) ? code : undefined;
}
