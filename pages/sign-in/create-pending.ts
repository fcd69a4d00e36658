// Creates the passkey that the sign-in of this tab began, once and without a question.

import { call } from "../api/client.ts";
import { ApiError } from "../api/error.ts";
import { session } from "../api/session.ts";
import { PENDING_PASSKEY, type PendingPasskey } from "../pending-passkey.ts";
import { readOfTab, writeOfTab } from "../stored.ts";
import { createPasskey } from "./passkey.ts";

/** A refusal by the browser or by the service ends it silently. */
export async function createPending(): Promise<void> {
	const pending = JSON.parse(readOfTab(PENDING_PASSKEY) ?? "null") as PendingPasskey | null;
	writeOfTab(PENDING_PASSKEY, null);
	if (pending === null || pending.userId !== session.value.user?.id || pending.untilMs < Date.now()) return;
	try {
		const credential = await createPasskey(pending.options, { isAutomatic: true });
		await call("POST /users/me/mfa/passkeys/confirm", { body: { name: pending.name, credential } });
	} catch (error) {
		if (!(error instanceof ApiError)) throw error;
	}
}
