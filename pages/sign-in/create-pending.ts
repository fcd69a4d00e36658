// Creates the passkey that the sign-in of this tab began, without a question.

import { call } from "../api/client.ts";
import { ApiError } from "../api/error.ts";
import { session } from "../api/session.ts";
import { createPasskey } from "./passkey.ts";

export interface PendingPasskey {
	readonly userId: string;
	/** Of the service, which decides by them what it admits. */
	readonly options: unknown;
	readonly name: string;
	/** Before the service refuses the options, which would leave a passkey that signs no one in. */
	readonly untilMs: number;
}

/** A refusal by the browser or by the service ends it silently. @param json a `PendingPasskey` */
export async function createPending(json: string): Promise<void> {
	const { userId, options, name, untilMs } = JSON.parse(json) as PendingPasskey;
	if (userId !== session.value.user?.id || untilMs < Date.now()) return;
	try {
		const credential = await createPasskey(options, { isAutomatic: true });
		await call("POST /users/me/mfa/passkeys/confirm", { body: { name, credential } });
	} catch (error) {
		if (!(error instanceof ApiError)) throw error;
	}
}
