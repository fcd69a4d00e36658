// Checks for an administrator whether an API key and a Secret belong together and would be accepted now.

import { equalTexts } from "../../../crypto/digest.ts";
import type { ApiClient } from "../../../domain/api-client.ts";
import { liveSecrets, secretContext } from "../../../domain/client-secret.ts";
import { newId } from "../../../kernel/id.ts";
import type { Needs } from "../../platform.ts";
import { issueSecret } from "../steps/issue-secret.ts";

/** Why credentials would be refused. `disabled`, `expired`, and `app_disabled` require the correct Secret. */
export const REFUSAL_REASONS = [
	"invalid_credentials",
	"unclaimed",
	"disabled",
	"expired",
	"app_disabled",
] as const;

type Validation =
	| { readonly valid: true; readonly client: ApiClient }
	| { readonly valid: false; readonly reason: (typeof REFUSAL_REASONS)[number] };

export type CredentialsValidator = (
	tenantId: string,
	credentials: { readonly apiKey: string; readonly secretPlain: string },
) => Promise<Validation>;

/** The current and the previous Secret: every call opens and compares this many. */
const SECRETS_COMPARED = 2;

/**
 * An unknown key, or a key of another tenant, costs the same work as a known one: every call opens two Secrets and
 * compares them in constant time, with decoys for a client that has fewer.
 */
export function createCredentialsValidator({
	db,
	secretBox,
	clock,
}: Needs<"apiClients" | "signingClients", "secretBox" | "clock">): CredentialsValidator {
	const decoyId = newId(clock());
	const decoy = { id: decoyId, sealed: issueSecret(secretBox, decoyId).secretSealed };
	return async (tenantId, { apiKey, secretPlain }) => {
		const now = clock();
		const { apiClients, signingClients } = db.stores;
		const [found, signing] = await Promise.all([
			apiClients.findByApiKey(apiKey),
			signingClients.findByApiKey(apiKey),
		]);
		const client = found?.tenantId === tenantId ? found : undefined;
		const live = client === undefined ? [] : liveSecrets(client, now);
		let isCorrect = false;
		for (let index = 0; index < SECRETS_COMPARED; index++) {
			const sealed = live[index];
			const { id } = client === undefined || sealed === undefined ? decoy : client;
			const secret = secretBox.open(sealed ?? decoy.sealed, secretContext(id));
			const isEqual = equalTexts(secret, secretPlain);
			isCorrect ||= isEqual && sealed !== undefined;
		}
		return decide(client, isCorrect, signing?.appStatus === "active", now);
	};
}

function decide(
	client: ApiClient | undefined,
	isCorrect: boolean,
	isAppActive: boolean,
	nowMs: number,
): Validation {
	if (client?.status === "unclaimed") return { valid: false, reason: "unclaimed" };
	if (client === undefined || !isCorrect) return { valid: false, reason: "invalid_credentials" };
	if (client.status === "disabled") return { valid: false, reason: "disabled" };
	if (client.expiresAtMs !== null && client.expiresAtMs <= nowMs) return { valid: false, reason: "expired" };
	if (!isAppActive) return { valid: false, reason: "app_disabled" };
	return { valid: true, client };
}
