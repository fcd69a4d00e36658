// The wire form of API clients.

import { ALLOWLIST_MODES } from "../../../domain/allowlist.ts";
import { API_CLIENT_STATUSES, type ApiClient, isDormant, SCOPES } from "../../../domain/api-client.ts";
import { boolean, choice, type Infer, list, nullable, object, plain, time } from "../../../http/schema.ts";
import { toWire } from "../../../http/wire-form.ts";

const fields = {
	id: plain({ format: "uuid" }),
	tenant_id: plain({ format: "uuid", description: "Sent as `X-Tenant-ID`." }),
	app_id: plain({ format: "uuid", description: "Sent as `X-App-ID`." }),
	name: plain(),
	api_key: plain({ description: "Sent as `X-API-Key`; identifies the client without authenticating it." }),
	secret_hint: plain({ description: 'Last four characters of the Secret, `""` while unclaimed.' }),
	status: choice(API_CLIENT_STATUSES, {
		description: "`unclaimed`: approved, but the applicant has not claimed the Secret yet.",
	}),
	scopes: list(choice(SCOPES)),
	ip_allowlist: list(plain(), {
		description: "Canonical IP addresses and CIDRs; empty means any IP address.",
	}),
	ip_allowlist_mode: choice(ALLOWLIST_MODES, {
		description: "`report`: an IP address that is not on the list is accepted and counted.",
	}),
	expires_at: nullable(time()),
	last_used_at: nullable(time({ description: "Of the last accepted request; lags by some seconds." })),
	last_used_ip: plain({ description: 'Empty (`""`) before the first request.' }),
	secret_created_at: nullable(time()),
	previous_secret_expires_at: nullable(
		time({
			description: "Until then the previous Secret is valid too; null if it became invalid immediately.",
		}),
	),
	dormant: boolean({
		description:
			"Not used for 90 days; if never used, counted from the creation of its Secret, or else of the client.",
	}),
	access_request_id: nullable(plain({ format: "uuid" })),
	owner_name: nullable(plain({ description: "The applicant of the access request; null without one." })),
	owner_email: nullable(plain({ description: "Mails about the client go here; null without one." })),
	purpose: nullable(plain({ description: "From the access request; null without one." })),
	created_by: nullable(plain({ format: "uuid", description: "The user who created or approved it." })),
	created_at: time(),
	updated_at: time(),
};

export const apiClientSchema = object(fields, { title: "ApiClient" });

/** The response of create, claim and regenerate. */
export const apiClientWithSecretSchema = object(
	{
		...fields,
		secret: plain({
			description: "The Secret, returned only in this response. It signs requests and is never sent.",
		}),
	},
	{ title: "ApiClientWithSecret" },
);

const toWireForm = toWire(apiClientSchema);

export function toWireApiClient(client: ApiClient, nowMs: number): Infer<typeof apiClientSchema> {
	const { name: ownerName = null, email: ownerEmail = null, purpose = null } = client.owner ?? {};
	return toWireForm({ ...client, dormant: isDormant(client, nowMs), ownerName, ownerEmail, purpose });
}

export function toWireWithSecret(
	client: ApiClient,
	secretPlain: string,
	nowMs: number,
): Infer<typeof apiClientWithSecretSchema> {
	return { ...toWireApiClient(client, nowMs), secret: secretPlain };
}
