// The wire form of API clients.

import { ALLOWLIST_MODES } from "../../../domain/allowlist.ts";
import {
	API_CLIENT_STATUSES,
	type ApiClient,
	CLIENT_MODES,
	isDormant,
	SCOPES,
} from "../../../domain/api-client.ts";
import {
	boolean,
	choice,
	type Infer,
	list,
	nullable,
	object,
	plain,
	time,
} from "../../../http/describe/schema.ts";
import { toWire } from "../../../http/describe/wire-form.ts";

const fields = {
	id: plain({ format: "uuid" }),
	tenant_id: plain({ format: "uuid", description: "Sent as `X-Tenant-ID`." }),
	app_id: plain({
		format: "uuid",
		description: "Sent as `X-App-ID`. Every test client has the same one, which no application has.",
	}),
	name: plain(),
	api_key: plain({ description: "Sent as `X-API-Key`; identifies the client without authenticating it." }),
	secret_hint: plain({ description: 'The last four characters of the Secret; `""` while unclaimed.' }),
	status: choice(API_CLIENT_STATUSES, {
		description: "`unclaimed`: the applicant has not claimed the Secret yet.",
	}),
	mode: choice(CLIENT_MODES, {
		description:
			"`test`: created by an applicant before the decision; sees three made-up people and no records of the tenant.",
	}),
	scopes: list(choice(SCOPES)),
	ip_allowlist: list(plain(), {
		description: "IP addresses and CIDRs in canonical form; empty allows any IP address.",
	}),
	ip_allowlist_mode: choice(ALLOWLIST_MODES, {
		description: "`report`: requests from an IP address that is not on the list are accepted and counted.",
	}),
	expires_at: nullable(time()),
	last_used_at: nullable(
		time({ description: "Time of the last accepted request, delayed by some seconds." }),
	),
	last_used_ip: plain({ description: 'Empty (`""`) before the first request.' }),
	secret_created_at: nullable(time()),
	previous_secret_expires_at: nullable(
		time({
			description: "The previous Secret is valid until then; null if it became invalid immediately.",
		}),
	),
	dormant: boolean({
		description:
			"Whether it has not been used for 90 days. If it was never used, the 90 days start when its Secret was created, or else when the client was created.",
	}),
	access_request_id: nullable(plain({ format: "uuid" })),
	owner_name: nullable(plain({ description: "The applicant of the access request; null without one." })),
	owner_email: nullable(
		plain({ description: "The service mails notices about the client here; null without one." }),
	),
	purpose: nullable(plain({ description: "From the access request; null without one." })),
	created_by: nullable(
		plain({ format: "uuid", description: "The user who created or approved the client." }),
	),
	created_at: time(),
	updated_at: time(),
};

export const apiClientSchema = object(fields, { title: "ApiClient" });

/** The response of create, claim, and regenerate. */
export const apiClientWithSecretSchema = object(
	{
		...fields,
		secret: plain({
			description: "The Secret, returned only in this response. It signs requests and must never be sent.",
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
