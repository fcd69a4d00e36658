// Tells an administrator whether an API key and a Secret belong together and would be accepted now.

import { equalTexts } from "../../crypto/digest.ts";
import type { SecretBox } from "../../crypto/secret-box.ts";
import type { Clock } from "../../kernel/clock.ts";
import { newId } from "../../kernel/id.ts";
import type { Persistence } from "../../kernel/transaction.ts";
import { issueSecret, liveSecrets } from "./client-secrets.ts";
import { type ApiClient, type ApiClientStore, secretContext } from "./model.ts";

export interface ValidateCredentialsDeps {
	readonly db: Persistence<{ apiClients: ApiClientStore }>;
	readonly secretBox: SecretBox;
	readonly clock: Clock;
}

/** Why credentials would be refused; `disabled` and `expired` are told only with a right Secret. */
export const REFUSAL_REASONS = ["invalid_credentials", "unclaimed", "disabled", "expired"] as const;
export type RefusalReason = (typeof REFUSAL_REASONS)[number];

export type Validation =
	| { readonly valid: true; readonly client: ApiClient }
	| { readonly valid: false; readonly reason: RefusalReason };

export type CredentialsValidator = (
	tenantId: string,
	given: { readonly apiKey: string; readonly secretPlain: string },
) => Promise<Validation>;

/** Current and previous one: as many are opened and compared each time. */
const SECRETS_LOOKED_AT = 2;

/**
 * A key of nobody or of another tenant costs the same work as a known one: two Secrets are opened and compared in
 * constant time whatever is found, a stand-in where there is none.
 */
export function createCredentialsValidator({
	db,
	secretBox,
	clock,
}: ValidateCredentialsDeps): CredentialsValidator {
	const nobody = newId(clock());
	const standIn = { id: nobody, sealed: issueSecret(secretBox, nobody).secretSealed };
	return async (tenantId, { apiKey, secretPlain }) => {
		const now = clock();
		const found = await db.stores.apiClients.findByApiKey(apiKey);
		const client = found?.tenantId === tenantId ? found : undefined;
		const live = client === undefined ? [] : liveSecrets(client, now);
		const id = client?.id ?? nobody;
		let isRight = false;
		for (let index = 0; index < SECRETS_LOOKED_AT; index++) {
			const sealed = live[index];
			const secret =
				sealed === undefined
					? secretBox.open(standIn.sealed, secretContext(standIn.id))
					: secretBox.open(sealed, secretContext(id));
			const isEqual = equalTexts(secret, secretPlain);
			isRight ||= isEqual && sealed !== undefined;
		}
		return judge(client, isRight, now);
	};
}

function judge(client: ApiClient | undefined, isRight: boolean, nowMs: number): Validation {
	if (client?.status === "unclaimed") return { valid: false, reason: "unclaimed" };
	if (client === undefined || !isRight) return { valid: false, reason: "invalid_credentials" };
	if (client.status === "disabled") return { valid: false, reason: "disabled" };
	if (client.expiresAtMs !== null && client.expiresAtMs <= nowMs) return { valid: false, reason: "expired" };
	return { valid: true, client };
}
