// Tells the password manager of this browser which passkeys of the account are valid, and the names to show with them.

import type { Schemas } from "../api/routes.ts";
import { hasPasskeys } from "../sign-in/passkey.ts";
import { ownUser } from "./own-user.ts";

/** Web Authentication, level 3, section 5.1.10. Only newer browsers have these methods. */
export async function signalPasskeys(account: Schemas["MySecondFactors"]["passkey_account"]): Promise<void> {
	if (account === null || !hasPasskeys()) return;
	const { rp_id: rpId, user_id: userId, credential_ids } = account;
	const { username: name, display_name } = ownUser();
	const accepted = { rpId, userId, allAcceptedCredentialIds: [...credential_ids] };
	await PublicKeyCredential.signalAllAcceptedCredentials?.(accepted);
	await PublicKeyCredential.signalCurrentUserDetails?.({
		rpId,
		userId,
		name,
		displayName: display_name || name,
	});
}
