// Reads mailed registration codes.

import type { CallResponse, TestService } from "../service/service.ts";

export function sendCode(
	service: TestService,
	email: string,
	headers: Readonly<Record<string, string>> = {},
): Promise<CallResponse> {
	return service.call("POST", "/api/v1/auth/register/send-code", { body: { email }, headers });
}

/** Waits for the `count`th mail to an address. @returns its code */
export async function mailedCode(service: TestService, email: string, count = 1): Promise<string> {
	const mail = (await service.mailsTo(email, count))[count - 1];
	const code = /\b[0-9]{6}\b/.exec(mail?.text ?? "")?.[0];
	if (code === undefined) throw new Error(`mail ${count} to ${email} holds no code`);
	return code;
}

/** Requests a first code and reads it. */
export async function codeFor(service: TestService, email: string): Promise<string> {
	const response = await sendCode(service, email);
	if (response.status !== 200) throw new Error(`send-code returned ${response.status}`);
	return mailedCode(service, email);
}

/** A code different from `code`. */
export function wrongCode(code: string): string {
	return String((Number(code) + 1) % 1_000_000).padStart(6, "0");
}
