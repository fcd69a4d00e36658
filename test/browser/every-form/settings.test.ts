// Every form about requests, API clients and settings in the console: see `endures`.

import type { Page } from "playwright-core";
import { addApiClient } from "../../harness/access/applications.ts";
import { addKeyClient, addOwnKey, newKey } from "../../harness/access/partner-keys.ts";
import { describeForms, type FormCase, type FormStage } from "../../harness/browser/every-form.ts";
import { HOSTILE } from "../../harness/browser/hostile-data.ts";
import { PAGES_URL } from "../../harness/browser/pages.ts";
import type { TestService } from "../../harness/service/service.ts";
import { eventually } from "../../harness/webhooks/webhooks.ts";

const CLIENT = "/console/clients/{client}";
const WEBHOOK = "/console/webhooks/{webhook}";
const PROVIDER = "/console/providers/{provider}";

const withDirectory = async ({ service, ids, page }: FormStage): Promise<void> => {
	const path = `/api/v1/identity-providers/${ids.provider}/directory`;
	await service.asAdmin("PUT", path as "/api/v1/identity-providers/{id}/directory", { on_remove: "disable" });
	await page.reload();
};

const FORMS: readonly FormCase[] = [
	{
		source: "console/requests/decision-panel.tsx",
		path: "/console/requests/{request}",
		open: ["Reject…"],
		submit: "Reject and send email",
		sends: "POST /api/v1/requests/{id}/reject",
	},
	{
		isSample: true,
		source: "console/requests/decision-panel.tsx",
		path: "/console/requests/{otherRequest}",
		open: ["Approve…", "Change"],
		values: { "ip_allowlist.0": "203.0.113.7" },
		submit: "Approve and send email",
		sends: "POST /api/v1/requests/{id}/approve",
	},
	{
		source: "console/requests/decision-panel.tsx",
		path: "/console/requests/{programRequest}",
		open: ["Reject…"],
		submit: "Reject",
		sends: "POST /api/v1/requests/{id}/reject",
	},
	{
		source: "console/requests/decision-panel.tsx",
		path: "/console/requests/{otherProgramRequest}",
		open: ["Approve…"],
		submit: "Approve",
		sends: "POST /api/v1/requests/{id}/approve",
	},
	{
		source: "console/programs/program.tsx",
		path: "/console/programs/{program}",
		values: { "allowed_resources.0": "" },
		submit: "Save",
		sends: "PATCH /api/v1/programs/{application_id}",
	},
	{
		source: "console/programs/program.tsx",
		path: "/console/programs/{program}",
		open: ["More actions", "Remove"],
		submit: "Remove",
		sends: "DELETE /api/v1/programs/{application_id}",
	},
	{
		isSample: true,
		source: "console/clients/create-client.tsx",
		path: "/console/clients",
		open: ["Create client"],
		ready: "[name=app_id]",
		values: { "application-search": "", "ip_allowlist.0": "203.0.113.0/24" },
		submit: "Create client",
		sends: "POST /api/v1/api-clients",
	},
	{
		source: "console/clients/explain-tab.tsx",
		path: `${CLIENT}#explain`,
		values: { target: "/access/v1/whoami", headers: `X-Name: ${HOSTILE}`, ip: "203.0.113.7" },
		submit: "Explain",
		sends: "POST /api/v1/api-clients/{id}/explain-signature",
	},
	{
		source: "console/clients/allowlist-tab.tsx",
		path: `${CLIENT}#allowlist`,
		changed: "ip_allowlist.0",
		values: { "ip_allowlist.0": "203.0.113.0/24" },
		submit: "Save",
		sends: "PATCH /api/v1/api-clients/{id}",
	},
	{
		source: "console/clients/settings-tab.tsx",
		path: `${CLIENT}#settings`,
		changed: "name",
		values: { name: `${HOSTILE} 2` },
		submit: "Save",
		sends: "PATCH /api/v1/api-clients/{id}",
	},
	{
		source: "console/clients/client-actions.tsx",
		path: CLIENT,
		open: ["Rotate Secret"],
		submit: "Rotate",
		sends: "POST /api/v1/api-clients/{id}/regenerate-secret",
	},
	{
		source: "console/clients/keys-card.tsx",
		path: CLIENT,
		open: ["Add key"],
		values: { public_key: JSON.stringify(newKey().public_key) },
		submit: "Add key",
		sends: "POST /api/v1/api-clients/{id}/keys",
	},
	{
		source: "console/clients/public-keys.tsx",
		path: "/console",
		async begin({ page, service }) {
			const client = await addKeyClient(service, { name: HOSTILE });
			await addOwnKey(service, client);
			await page.goto(`${PAGES_URL}/console/clients/${client.id}`);
		},
		open: ["Accept"],
		submit: "Accept",
		sends: "POST /api/v1/api-clients/{id}/keys/{key_id}/accept",
	},
	{
		source: "console/refusals/repair-dialog.tsx",
		path: "/console",
		async begin({ page, service }) {
			const client = await addApiClient(service, { name: HOSTILE, ip_allowlist: ["203.0.113.7"] });
			await service.signed(client, "GET", "/api/v1/external/whoami");
			const path = `/api/v1/refusals?api_client_id=${client.id}` as const;
			await eventually(
				() => service.asAdmin("GET", path),
				(refusals) => refusals.length > 0,
			);
			await page.goto(`${PAGES_URL}/console/clients/${client.id}`);
		},
		open: [/^Add 127\.0\.0\.1/],
		submit: "Add",
		sends: "PATCH /api/v1/api-clients/{id}",
	},
	{
		source: "console/clients/client-actions.tsx",
		path: CLIENT,
		open: [/^(?:More actions|Actions)/, "Delete"],
		values: { confirmation: `${HOSTILE} 2` },
		submit: "Delete",
		sends: "DELETE /api/v1/api-clients/{id}",
	},
	{
		source: "console/webhooks/webhook-dialog.tsx",
		path: WEBHOOK,
		open: ["Change"],
		values: { description: `${HOSTILE} 2` },
		submit: "Save",
		sends: "PATCH /api/v1/webhooks/{id}",
	},
	{
		source: "console/webhooks/rotate-dialog.tsx",
		path: WEBHOOK,
		open: ["More actions", "Rotate secret"],
		submit: "Rotate secret",
		sends: "POST /api/v1/webhooks/{id}/rotate-secret",
	},
	{
		source: "console/webhooks/webhook.tsx",
		path: WEBHOOK,
		open: ["More actions", "Delete"],
		values: { confirmation: "hooks.partner.example/latchkey" },
		submit: "Delete",
		sends: "DELETE /api/v1/webhooks/{id}",
	},
	{
		source: "console/keys/key-dialog.tsx",
		path: "/console/keys",
		open: ["Create key"],
		values: { "roles-auditor": "Space", "ip_allowlist.0": "203.0.113.0/24" },
		submit: "Create key",
		sends: "POST /api/v1/admin-keys",
	},
	{
		source: "console/keys/keys.tsx",
		path: "/console/keys",
		open: [/^Actions for/, "Revoke"],
		values: { confirmation: HOSTILE },
		submit: "Revoke",
		sends: "DELETE /api/v1/admin-keys/{id}",
	},
	{
		source: "console/providers/add-provider-dialog.tsx",
		path: "/console/providers",
		open: ["Add provider"],
		values: { display_name: `${HOSTILE} 2`, client_id: "latchkey" },
		submit: "Add provider",
		sends: "POST /api/v1/identity-providers",
	},
	{
		source: "console/providers/provider-settings.tsx",
		path: PROVIDER,
		values: { client_id: "latchkey 2", issuer: "" },
		submit: "Save",
		sends: "PATCH /api/v1/identity-providers/{id}",
	},
	{
		source: "console/providers/directory-settings.tsx",
		path: PROVIDER,
		begin: withDirectory,
		open: ["Open directory", "Change settings"],
		values: { "domains.0": "people.example", group_prefix: "entra-", client_id: "" },
		submit: "Save directory",
		sends: "PUT /api/v1/identity-providers/{id}/directory",
	},
	{
		source: "console/providers/directory-card.tsx",
		path: PROVIDER,
		begin: withDirectory,
		open: ["Open directory", "Delete directory…"],
		submit: "Delete directory",
		sends: "DELETE /api/v1/identity-providers/{id}/directory",
	},
	{
		source: "console/providers/domain-dialogs.tsx",
		path: "/console/providers",
		open: ["Add domain"],
		values: { domain: "added.example" },
		submit: "Add domain",
		sends: "POST /api/v1/domains",
	},
	{
		source: "console/providers/domain-dialogs.tsx",
		path: "/console/providers",
		begin: ({ service, page }) => addDomain(service, page, "changed.example"),
		open: ["Actions for changed.example", "Change…"],
		submit: "Save",
		sends: "PATCH /api/v1/domains/{domain}",
	},
	{
		isSample: true,
		source: "console/providers/domain-dialogs.tsx",
		path: "/console/providers",
		open: ["Create set-up link"],
		ready: "[name=application_id]",
		values: { domain: "linked.example", "application_id-search": "" },
		submit: "Create set-up link",
		sends: "POST /api/v1/identity-providers/set-up-links",
	},
	{
		source: "console/providers/domains-card.tsx",
		path: "/console/providers",
		async begin({ service, page }) {
			await service.asAdmin("POST", "/api/v1/identity-providers/set-up-links", { domain: "revoked.example" });
			await page.reload();
		},
		open: ["Actions for revoked.example", "Revoke set-up link…"],
		submit: "Revoke link",
		sends: "DELETE /api/v1/identity-providers/set-up-links/{domain}",
	},
	{
		source: "console/providers/domains-card.tsx",
		path: "/console/providers",
		begin: ({ service, page }) => addDomain(service, page, "removed.example"),
		open: ["Actions for removed.example", "Remove…"],
		submit: "Remove",
		sends: "DELETE /api/v1/domains/{domain}",
	},
	{
		source: "console/providers/provider.tsx",
		path: PROVIDER,
		async begin({ service, ids, page, context }) {
			const path = `/api/v1/identity-providers/${ids.provider}`;
			await service.asAdmin("PATCH", path as "/api/v1/identity-providers/{id}", { enabled: false });
			const at = new Date().toISOString();
			const set_up = {
				domain: "people.example",
				tested_by: "it@people.example",
				tested_at: at,
				finished_at: at,
				expires_at: at,
			};
			await context.route(
				(url) => url.pathname === path,
				async (route) => {
					if (route.request().method() !== "GET") return route.fallback();
					const response = await route.fetch();
					if (!response.ok()) return route.fulfill({ response });
					const { data } = (await response.json()) as { data: object };
					return route.fulfill({ response, json: { data: { ...data, set_up } } });
				},
			);
			await page.reload();
		},
		open: ["Enable"],
		submit: "Enable",
		sends: "PATCH /api/v1/identity-providers/{id}",
	},
	{
		source: "console/providers/provider.tsx",
		path: PROVIDER,
		open: ["More actions", "Delete"],
		values: { confirmation: HOSTILE },
		submit: "Delete",
		sends: "DELETE /api/v1/identity-providers/{id}",
	},
	{
		source: "console/tenants/tenant-dialogs.tsx",
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
		source: "console/tenants/tenant-dialogs.tsx",
		path: "/console/tenants",
		open: [/^Actions for .*ليلى/, "Change"],
		values: { "sender_addresses.0": "" },
		submit: "Save",
		sends: "PATCH /api/v1/tenants/{id}",
	},
	{
		source: "console/tenants/tenants.tsx",
		path: "/console/tenants",
		open: [/^Actions for .*contested/, /^Assign to/],
		submit: "Assign",
		sends: "PUT /api/v1/tenants/{id}/resources",
	},
	{
		source: "console/mail/mail.tsx",
		path: "/console/mail",
		open: [/^Actions for/, "Try now"],
		submit: "Try now",
		sends: "POST /api/v1/mails/{id}/resend",
	},
	{
		isSample: true,
		source: "console/branding/branding.tsx",
		path: "/console/branding",
		changed: "product_name",
		values: {
			product_name: HOSTILE,
			support_email: "help@people.example",
			sender_name: HOSTILE,
			sign_in_text: HOSTILE,
			footer_links: "Privacy https://people.example/privacy",
			corner_radius: "8",
		},
		submit: "Save",
		sends: "PUT /api/v1/branding",
	},
];

async function addDomain(service: TestService, page: Page, domain: string): Promise<void> {
	await service.asAdmin("POST", "/api/v1/domains", { domain });
	await page.reload();
}

// Mails stay due, because no server listens there.
describeForms("every form about requests, clients and settings", FORMS, {
	env: { LATCHKEY_SMTP_URL: "smtp://127.0.0.1:1" },
});
