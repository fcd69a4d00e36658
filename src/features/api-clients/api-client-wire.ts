// API clients as the wire has them, for every endpoint that answers one.

import { boolean, choice, type Infer, list, nullable, object, plain, time } from "../../http/schema.ts";
import { isoTime, isoTimeOrNull } from "../../kernel/clock.ts";
import { ALLOWLIST_MODES, API_CLIENT_STATUSES, type ApiClient, isDormant, SCOPES } from "./model.ts";

const fields = {
	id: plain({ format: "uuid" }),
	tenant_id: plain({ format: "uuid", description: "Sent as `X-Tenant-ID`." }),
	app_id: plain({ format: "uuid", description: "Sent as `X-App-ID`." }),
	name: plain(),
	api_key: plain({ description: "Sent as `X-API-Key`; names the client and proves nothing." }),
	secret_hint: plain({ description: 'Last four characters of the Secret, `""` while unclaimed.' }),
	status: choice(API_CLIENT_STATUSES, {
		description: "`unclaimed`: approved, but the applicant has not fetched the Secret yet.",
	}),
	scopes: list(choice(SCOPES)),
	ip_allowlist: list(plain(), { description: "Canonical addresses and CIDRs; empty means any address." }),
	ip_allowlist_mode: choice(ALLOWLIST_MODES, {
		description: "`report`: an address that is not on the list is let through and counted.",
	}),
	expires_at: nullable(time()),
	last_used_at: nullable(time({ description: "Of the last accepted request; some seconds late." })),
	last_used_ip: plain({ description: 'Empty (`""`) before the first request.' }),
	secret_created_at: nullable(time()),
	previous_secret_expires_at: nullable(
		time({ description: "Until then the Secret before this one counts too; null when it died at once." }),
	),
	dormant: boolean({
		description:
			"Not used for 90 days; one never used counts from when its Secret, or else the client itself, was made.",
	}),
	access_request_id: nullable(plain({ format: "uuid" })),
	owner_name: nullable(plain({ description: "Who sent the access request; null without one." })),
	owner_email: nullable(plain({ description: "Mails about the client go here; null without one." })),
	purpose: nullable(plain({ description: "As the access request has it; null without one." })),
	created_by: nullable(plain({ format: "uuid", description: "The user who created or approved it." })),
	created_at: time(),
	updated_at: time(),
};

/** Contract section 6, "API client". */
export const apiClientSchema = object(fields, { title: "ApiClient" });

/** The answer of create, claim and regenerate. */
export const apiClientWithSecretSchema = object(
	{
		...fields,
		secret: plain({
			description: "The Secret, in this answer and never again. It signs requests and is never sent.",
		}),
	},
	{ title: "ApiClientWithSecret" },
);

export type WireApiClient = Infer<typeof apiClientSchema>;
export type WireApiClientWithSecret = Infer<typeof apiClientWithSecretSchema>;

/** `nowMs` decides whether it is dormant. */
export function toWireApiClient(client: ApiClient, nowMs: number): WireApiClient {
	return {
		id: client.id,
		tenant_id: client.tenantId,
		app_id: client.appId,
		name: client.name,
		api_key: client.apiKey,
		secret_hint: client.secretHint,
		status: client.status,
		scopes: [...client.scopes],
		ip_allowlist: [...client.ipAllowlist],
		ip_allowlist_mode: client.ipAllowlistMode,
		expires_at: isoTimeOrNull(client.expiresAtMs),
		last_used_at: isoTimeOrNull(client.lastUsedAtMs),
		last_used_ip: client.lastUsedIp,
		secret_created_at: isoTimeOrNull(client.secretCreatedAtMs),
		previous_secret_expires_at: isoTimeOrNull(client.previousSecretExpiresAtMs),
		dormant: isDormant(client, nowMs),
		access_request_id: client.accessRequestId,
		owner_name: client.owner?.name ?? null,
		owner_email: client.owner?.email ?? null,
		purpose: client.owner?.purpose ?? null,
		created_by: client.createdBy,
		created_at: isoTime(client.createdAtMs),
		updated_at: isoTime(client.updatedAtMs),
	};
}

export function toWireWithSecret(
	client: ApiClient,
	secretPlain: string,
	nowMs: number,
): WireApiClientWithSecret {
	return { ...toWireApiClient(client, nowMs), secret: secretPlain };
}
