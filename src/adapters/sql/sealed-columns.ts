// Every column that holds sealed text, in one list: rekey and the doctor go by it, and a test compares it with the schema.

import { secretContext } from "../../features/api-clients/model.ts";
import { derivationRootContext, signingKeyContext } from "../../features/auth/model.ts";
import { mailContext } from "../../features/mail/model.ts";
import { totpContext } from "../../features/mfa/model.ts";
import { attemptContext, identityProviderContext } from "../../features/third-party/model.ts";
import { webhookContext } from "../../features/webhooks/model.ts";

export interface SealedColumn {
	readonly table: string;
	/** Its name ends with `_sealed`. NULL and `''` stand for nothing sealed. */
	readonly column: string;
	/** The column that names a row of the table, alone and for good. */
	readonly id: string;
	/** The associated data a row's text was sealed with. */
	contextOf(id: string): string;
}

/** A new `*_sealed` column gets a row here; nothing else is needed for it to be re-sealed. */
export const SEALED_COLUMNS: readonly SealedColumn[] = [
	{ table: "signing_keys", column: "private_sealed", id: "kid", contextOf: signingKeyContext },
	{ table: "derivation_roots", column: "root_sealed", id: "id", contextOf: derivationRootContext },
	{ table: "api_clients", column: "secret_sealed", id: "id", contextOf: secretContext },
	{ table: "api_clients", column: "previous_secret_sealed", id: "id", contextOf: secretContext },
	{ table: "webhooks", column: "secret_sealed", id: "id", contextOf: webhookContext },
	{ table: "webhooks", column: "previous_secret_sealed", id: "id", contextOf: webhookContext },
	{
		table: "identity_providers",
		column: "client_secret_sealed",
		id: "id",
		contextOf: identityProviderContext,
	},
	{ table: "third_party_attempts", column: "protocol_sealed", id: "id", contextOf: attemptContext },
	{ table: "totp_factors", column: "secret_sealed", id: "id", contextOf: totpContext },
	{ table: "mail_outbox", column: "payload_sealed", id: "id", contextOf: mailContext },
];
