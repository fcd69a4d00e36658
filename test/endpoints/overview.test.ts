// What needs attention, and the first steps of a new tenant.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { DAY_MS } from "../../src/kernel/clock.ts";
import { decide, submit } from "../harness/access/access-requests.ts";
import { addApiClient, addApplication, addCast } from "../harness/access/applications.ts";
import { startMailServer } from "../harness/mail/mail-server.ts";
import { mailIn } from "../harness/mail/mails.ts";
import { addAdminKey } from "../harness/people/admin-keys.ts";
import { addPerson, lockCodes, lockPassword, withDatabase } from "../harness/people/people.ts";
import { addPersonWithTotp } from "../harness/people/second-factors.ts";
import { addSecondTenant } from "../harness/people/second-tenant.ts";
import { fixture, testService } from "../harness/runs/fixture.ts";
import { startTestService, type TestService } from "../harness/service/service.ts";
import { addWebhook, eventually } from "../harness/webhooks/webhooks.ts";

const OVERVIEW = "/api/v1/overview";

const service = testService();
const cast = fixture(() => addCast(service));

async function read(of: TestService, token: string) {
	const { status, body } = await of.call("GET", OVERVIEW, { token });
	assert.equal(status, 200, JSON.stringify(body));
	return body.data;
}

/** The counts that are not 0. */
function countsOf({
	first_steps: _,
	writes_mails_to_files: __,
	...counts
}: Awaited<ReturnType<typeof read>>) {
	return Object.fromEntries(Object.entries(counts).filter(([, count]) => count !== 0));
}

describe("GET /api/v1/overview", () => {
	describe("200", () => {
		it("counts what the lists contain, within the tenant", async () => {
			const refused = "refused@people.example";
			const server = await startMailServer({
				refusalOf: (address) => (address === refused ? 550 : undefined),
			});
			const counting = await startTestService({ env: { LATCHKEY_SMTP_URL: server.url } });
			try {
				const token = await counting.adminToken();
				const at = (days: number) => new Date(counting.clock.now() + days * DAY_MS).toISOString();
				await submit(counting, { email: refused });
				await mailIn(counting, "failed", refused);
				await lockPassword(counting, await addPerson(counting, "ada"));
				const bob = await addPerson(counting, "bob");
				await lockPassword(counting, bob);
				await lockCodes(counting, bob);
				await lockPassword(counting, await addPerson(counting, "cleo"), 99);
				for (const days of [1, 29, 31]) await addApiClient(counting, { expires_at: at(days) });
				await addApiClient(counting);
				const disabled = await addApiClient(counting, { expires_at: at(2) });
				await counting.asAdmin("PATCH", `/api/v1/api-clients/${disabled.id}`, { status: "disabled" });
				const [failing, gone, off] = await Promise.all([1, 2, 3].map(() => addWebhook(counting)));
				await addWebhook(counting);
				await counting.asAdmin("PATCH", `/api/v1/webhooks/${off?.id}`, { status: "disabled" });
				await withDatabase(counting, async ({ queries }) => {
					await queries.run("UPDATE webhooks SET failing_since = 1 WHERE id = $1", failing?.id ?? "");
					await queries.run(
						"UPDATE webhooks SET status = 'disabled', disabled_reason = 'gone' WHERE id = $1",
						gone?.id ?? "",
					);
				});
				const overview = await eventually(
					() => read(counting, token),
					({ waiting_mails }) => waiting_mails === 0,
				);
				assert.deepEqual(countsOf(overview), {
					pending_requests: 1,
					expiring_api_clients: 2,
					locked_users: 2,
					failing_webhooks: 2,
					failed_mails: 1,
				});
				assert.equal(overview.first_steps?.has_mail_server, true);
				assert.equal(overview.writes_mails_to_files, false);
				const other = await addSecondTenant(counting);
				assert.deepEqual(countsOf(await read(counting, other.adminToken)), {});
			} finally {
				await counting.stop();
				await server.close();
			}
		});

		it("shows each role what its lists show", async () => {
			await submit(service);
			const unseen = {
				failed_mails: null,
				waiting_mails: null,
				writes_mails_to_files: null,
				first_steps: null,
			};
			const { first_steps, ...counts } = await read(service, cast.admin);
			assert.equal(first_steps === null, false);
			assert.equal(counts.writes_mails_to_files, true);
			assert.deepEqual(await read(service, cast.auditor.token), { ...counts, ...unseen });
			assert.deepEqual(await read(service, cast.reviewer.token), {
				pending_requests: counts.pending_requests,
				expiring_api_clients: null,
				locked_users: null,
				failing_webhooks: null,
				...unseen,
			});
		});

		it("tells the first steps that are done", async () => {
			const fresh = await startTestService();
			try {
				const token = await fresh.adminToken();
				const steps = async (of = token) => (await read(fresh, of)).first_steps;
				const none = {
					has_colleague: false,
					has_second_factor: false,
					has_mail_server: false,
					has_brand: false,
					has_application: false,
					has_decided: false,
				};
				assert.deepEqual(await steps(), none);
				const { key } = await addAdminKey(fresh);
				assert.deepEqual(await steps(key), { ...none, has_second_factor: null, has_mail_server: null });
				const reviewer = await addAdminKey(fresh, { roles: ["reviewer"] });
				assert.equal(await steps(reviewer.key), null);
				const { id } = await submit(fresh);
				await addApplication(fresh);
				await fresh.asAdmin("PUT", "/api/v1/branding", { support_email: "help@example.com" });
				const colleague = await addPersonWithTotp(fresh, "colleague", { roles: ["admin"] });
				assert.deepEqual(await steps(), { ...none, has_colleague: true, has_application: true });
				await decide(fresh, id, "reject", { review_note: "Not now." });
				await fresh.asAdmin("PUT", "/api/v1/branding", { product_name: "Acme" });
				assert.deepEqual(await steps(colleague.token), {
					has_colleague: true,
					has_second_factor: true,
					has_mail_server: null,
					has_brand: true,
					has_application: true,
					has_decided: true,
				});
			} finally {
				await fresh.stop();
			}
		});
	});
});
