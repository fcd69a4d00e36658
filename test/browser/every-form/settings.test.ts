// Every form about requests, API clients and settings in the console: see `endures`.

import { after, before, describe, test } from "node:test";
import { BROWSER_SKIPPED } from "../../harness/browser.ts";
import { endures, type FormCase, type FormStage, formsAtDepth, openStage } from "../../harness/every-form.ts";
import { HOSTILE } from "../../harness/hostile-data.ts";

const CLIENT = "/console/clients/{client}";
const WEBHOOK = "/console/webhooks/{webhook}";
const PROVIDER = "/console/providers/{provider}";

const FORMS: readonly FormCase[] = [
	{
		name: "reject a request",
		source: "console/requests/reject-form.tsx",
		path: "/console/requests/{request}",
		open: ["Reject…"],
		submit: "Reject and send email",
		sends: "POST /api/v1/access-requests/{id}/reject",
	},
	{
		name: "approve a request",
		isSample: true,
		source: "console/requests/approve-form.tsx",
		path: "/console/requests/{otherRequest}",
		open: ["Approve…"],
		values: { ip_allowlist: "203.0.113.7" },
		submit: "Approve and send email",
		sends: "POST /api/v1/access-requests/{id}/approve",
	},
	{
		name: "create a client",
		isSample: true,
		source: "console/clients/create-client.tsx",
		path: "/console/clients",
		open: ["Create client"],
		ready: "[name=app_id]",
		values: { "application-search": "", ip_allowlist: "203.0.113.0/24" },
		submit: "Create client",
		sends: "POST /api/v1/api-clients",
	},
	{
		name: "explain a signature",
		source: "console/clients/explain-tab.tsx",
		path: `${CLIENT}#explain`,
		values: { target: "/access/v1/whoami", headers: `X-Name: ${HOSTILE}`, ip: "203.0.113.7" },
		submit: "Explain",
		sends: "POST /api/v1/api-clients/{id}/explain-signature",
	},
	{
		name: "allowed addresses of a client",
		source: "console/clients/allowlist-tab.tsx",
		path: `${CLIENT}#allowlist`,
		values: { ip_allowlist: "203.0.113.0/24" },
		submit: "Save",
		sends: "PATCH /api/v1/api-clients/{id}",
	},
	{
		name: "settings of a client",
		source: "console/clients/settings-tab.tsx",
		path: `${CLIENT}#settings`,
		values: { name: `${HOSTILE} 2` },
		submit: "Save",
		sends: "PATCH /api/v1/api-clients/{id}",
	},
	{
		name: "renew the Secret of a client",
		source: "console/clients/renew-secret.tsx",
		path: CLIENT,
		open: ["Regenerate the Secret"],
		submit: "Regenerate",
		sends: "POST /api/v1/api-clients/{id}/regenerate-secret",
	},
	{
		name: "delete a client",
		source: "console/clients/client-actions.tsx",
		path: CLIENT,
		open: [/^(?:More actions|Actions)/, "Delete"],
		values: { confirmation: `${HOSTILE} 2` },
		submit: "Delete",
		sends: "DELETE /api/v1/api-clients/{id}",
	},
	{
		name: "change a webhook",
		source: "console/webhooks/webhook-dialog.tsx",
		path: WEBHOOK,
		open: ["Change"],
		values: { description: `${HOSTILE} 2` },
		submit: "Save",
		sends: "PATCH /api/v1/webhooks/{id}",
	},
	{
		name: "rotate the secret of a webhook",
		source: "console/webhooks/rotate-dialog.tsx",
		path: WEBHOOK,
		open: ["More actions", "Rotate secret"],
		submit: "Rotate secret",
		sends: "POST /api/v1/webhooks/{id}/rotate-secret",
	},
	{
		name: "delete a webhook",
		source: "console/webhooks/webhook.tsx",
		path: WEBHOOK,
		open: ["More actions", "Delete"],
		values: { confirmation: "hooks.partner.example/latchkey" },
		submit: "Delete",
		sends: "DELETE /api/v1/webhooks/{id}",
	},
	{
		name: "create a key",
		source: "console/keys/key-dialog.tsx",
		path: "/console/keys",
		open: ["Create key"],
		values: { "roles-auditor": "Space", ip_allowlist: "203.0.113.0/24" },
		submit: "Create key",
		sends: "POST /api/v1/admin-keys",
	},
	{
		name: "revoke a key",
		source: "console/keys/keys.tsx",
		path: "/console/keys",
		open: [/^Actions for/, "Revoke"],
		values: { confirmation: HOSTILE },
		submit: "Revoke",
		sends: "DELETE /api/v1/admin-keys/{id}",
	},
	{
		name: "add a provider",
		source: "console/providers/add-provider-dialog.tsx",
		path: "/console/providers",
		open: ["Add provider"],
		values: { display_name: `${HOSTILE} 2`, client_id: "latchkey" },
		submit: "Add provider",
		sends: "POST /api/v1/identity-providers",
	},
	{
		name: "settings of a provider",
		source: "console/providers/provider-settings.tsx",
		path: PROVIDER,
		values: { client_id: "latchkey 2", issuer: "" },
		submit: "Save",
		sends: "PATCH /api/v1/identity-providers/{id}",
	},
	{
		name: "delete a provider",
		source: "console/providers/provider.tsx",
		path: PROVIDER,
		open: ["More actions", "Delete"],
		values: { confirmation: HOSTILE },
		submit: "Delete",
		sends: "DELETE /api/v1/identity-providers/{id}",
	},
	{
		name: "create a tenant",
		source: "console/tenants/create-tenant-dialog.tsx",
		path: "/console/tenants",
		open: ["Create tenant"],
		values: {
			slug: "north",
			"admin.username": "admin",
			"admin.email": "admin@north.example",
			"admin.password": "the first admin of a tenant",
		},
		submit: "Create tenant",
		sends: "POST /api/v1/tenants",
	},
	{
		name: "change a tenant",
		source: "console/tenants/change-tenant-dialog.tsx",
		path: "/console/tenants",
		open: [/^Actions for .*ليلى/, "Change"],
		submit: "Save",
		sends: "PATCH /api/v1/tenants/{id}",
	},
	{
		name: "send a mail again",
		source: "console/mail/mail.tsx",
		path: "/console/mail",
		open: [/^Actions for/, "Try now"],
		submit: "Try now",
		sends: "POST /api/v1/mails/{id}/resend",
	},
	{
		name: "branding",
		isSample: true,
		source: "console/branding/branding.tsx",
		path: "/console/branding",
		values: {
			product_name: HOSTILE,
			support_email: "help@people.example",
			sender_name: HOSTILE,
			logo_url: "https://people.example/logo.svg",
		},
		submit: "Save",
		sends: "PUT /api/v1/branding",
	},
];

describe("every form about requests, clients and settings", {
	skip: BROWSER_SKIPPED,
	timeout: 300_000,
}, () => {
	let stage: FormStage;
	before(async () => {
		// Mails stay due: nothing listens there.
		stage = await openStage({ env: { LATCHKEY_SMTP_URL: "smtp://127.0.0.1:1" } });
	});
	after(() => stage?.[Symbol.asyncDispose]());
	for (const form of formsAtDepth(FORMS)) test(form.name, () => endures(stage, form));
});
