import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import {
	auditOf,
	mailedToken,
	REQUESTS,
	rows,
	submit,
	submitApproved,
} from "../../harness/access-requests.ts";
import { addSecondTenant } from "../../harness/second-tenant.ts";
import { startTestService, type TestService } from "../../harness/service.ts";

const CLAIM_MS = 7 * 86_400_000;

let service: TestService;
before(async () => {
	service = await startTestService();
});
after(() => service.stop());

const claim = (claimToken: unknown) =>
	service.call("POST", `${REQUESTS}/claim`, { body: { token: claimToken } });
/** As the first admin. */
const manage = async <const M extends string, const P extends string>(method: M, path: P, body?: unknown) =>
	service.call(method, `/api/v1${path}`, { token: await service.adminToken(), body });
const readClient = async (id: string) => (await manage("GET", `/api-clients/${id}`)).body.data;

describe("POST /api/v1/access-requests/claim", () => {
	describe("201", () => {
		test("answers the active client with its Secret, only once", async () => {
			const approved = await submitApproved(service, { ip_allowlist: ["127.0.0.1"] });
			const claimToken = await mailedToken(service, approved.email, "claim");
			const answer = await claim(claimToken);
			assert.equal(answer.status, 201);
			assert.equal(answer.headers["cache-control"], "no-store");
			const { secret, ...client } = answer.body.data;
			assert.match(secret, /^sk_[A-Za-z0-9_-]{43}$/);
			assert.equal(client.id, approved.api_client_id);
			assert.equal(client.status, "active");
			assert.equal(client.secret_hint, secret.slice(-4));
			assert.equal(client.access_request_id, approved.id);
			assert.equal(client.secret_created_at, client.updated_at);
			assert.deepEqual(client.ip_allowlist, ["127.0.0.1"]);
			assert.deepEqual(await readClient(client.id), client);
			const request = (await manage("GET", `/access-requests/${approved.id}`)).body.data;
			assert.deepEqual([approved.claimed_at, request.claimed_at], [null, client.secret_created_at]);
			assert.equal((await claim(claimToken)).status, 404);
			assert.deepEqual(await readClient(client.id), client);
		});

		test("answers credentials that sign a request", async () => {
			const { email } = await submitApproved(service);
			const { data } = (await claim(await mailedToken(service, email, "claim"))).body;
			const whoami = await service.signed(data, "GET", "/api/v1/external/whoami");
			assert.equal(whoami.status, 200, JSON.stringify(whoami.body));
			assert.equal(whoami.body.data.client.id, data.id);
		});

		test("needs no tenant, since the token identifies it", async () => {
			const second = await addSecondTenant(service);
			const record = await submit(service, {}, { "x-tenant-id": second.id });
			const path = `${REQUESTS}/${record.id}/approve`;
			await service.call("POST", path, { token: second.adminToken, body: {} });
			const { data } = (await claim(await mailedToken(service, record.email, "claim"))).body;
			assert.equal(data.tenant_id, second.id);
			assert.equal((await manage("GET", `/api-clients/${data.id}`)).status, 404);
		});

		test("audits the claim, and neither logs nor stores the Secret or the token in plain text", async () => {
			const { email, id, api_client_id } = await submitApproved(service);
			const claimToken = await mailedToken(service, email, "claim");
			const { secret } = (await claim(claimToken)).body.data;
			assert.equal(
				(await auditOf(service, `api_client:${api_client_id}`)).at(-1),
				"anonymous api_client.claimed",
			);
			assert.equal((await auditOf(service, `access_request:${id}`)).length, 2);
			const stored = JSON.stringify([
				await rows(service, "SELECT * FROM api_clients WHERE id = $1", api_client_id),
				await rows(service, "SELECT * FROM access_requests WHERE id = $1", id),
				await rows(service, "SELECT * FROM audit_events"),
			]);
			for (const plain of [secret, secret.slice(3), claimToken]) {
				assert.ok(!stored.includes(plain));
				assert.ok(!service.logs().includes(plain));
			}
		});

		test("accepts the token until shortly before seven days have passed", async () => {
			const { email } = await submitApproved(service);
			const claimToken = await mailedToken(service, email, "claim");
			service.clock.advance(CLAIM_MS - 60_000);
			assert.equal((await claim(claimToken)).status, 201);
		});

		test("answers the Secret to one of fifty simultaneous claims", async () => {
			const { email } = await submitApproved(service);
			const claimToken = await mailedToken(service, email, "claim");
			const answers = await Promise.all(Array.from({ length: 50 }, () => claim(claimToken)));
			const statuses = answers.map(({ status }) => status);
			assert.equal(statuses.filter((status) => status === 201).length, 1);
			assert.equal(statuses.filter((status) => status === 404).length, 49);
			const winner = answers.find(({ status }) => status === 201)?.body.data;
			assert.ok(winner);
			assert.equal((await service.signed(winner, "GET", "/api/v1/external/whoami")).status, 200);
		});

		test("leaves at most one valid token when a claim and a resend are simultaneous", async () => {
			for (let round = 0; round < 5; round++) {
				const { id, email } = await submitApproved(service);
				const first = await mailedToken(service, email, "claim");
				const [claimed, resent] = await Promise.all([
					claim(first),
					manage("POST", `/access-requests/${id}/resend`),
				]);
				if (claimed.status === 201) {
					assert.equal(resent.status, 409);
				} else {
					assert.equal(resent.status, 202);
					assert.equal((await claim(await mailedToken(service, email, "claim", 2))).status, 201);
				}
			}
		});
	});

	describe("400", () => {
		for (const body of [
			{},
			{ token: null },
			{ token: 17 },
			{ token: ["x"] },
			{ token: "" },
			{ token: "x".repeat(513) },
		]) {
			test(JSON.stringify(body).slice(0, 40), async () => {
				const answer = await service.call("POST", `${REQUESTS}/claim`, { body });
				assert.equal(answer.status, 400);
				assert.match(answer.body.error, /^token /);
			});
		}
		test("refuses a body that is not JSON", async () => {
			assert.equal((await service.call("POST", `${REQUESTS}/claim`, { body: "{" })).status, 400);
			assert.equal((await service.call("POST", `${REQUESTS}/claim`)).status, 400);
		});
	});

	describe("404", () => {
		const refused = async (claimToken: string): Promise<void> => {
			const unknown = await claim("A".repeat(43));
			const answer = await claim(claimToken);
			assert.equal(answer.status, 404);
			assert.deepEqual(answer.body, unknown.body);
			assert.deepEqual(Object.keys(answer.body), ["error"]);
		};

		test("refuses malformed tokens, and a valid one with surrounding text", async () => {
			const { email } = await submitApproved(service);
			const good = await mailedToken(service, email, "claim");
			for (const bad of [
				"x",
				"'",
				"a\0b",
				"\ud800",
				"😀".repeat(43),
				` ${good}`,
				`${good} `,
				`${good}=`,
				`#${good}`,
			]) {
				await refused(bad);
			}
			const swapped = [...good]
				.map((c) => (c === c.toLowerCase() ? c.toUpperCase() : c.toLowerCase()))
				.join("");
			await refused(swapped);
			assert.equal((await claim(good)).status, 201);
		});

		test("refuses used and expired tokens", async () => {
			const used = await submitApproved(service);
			const usedToken = await mailedToken(service, used.email, "claim");
			assert.equal((await claim(usedToken)).status, 201);
			await refused(usedToken);

			const late = await submitApproved(service);
			const lateToken = await mailedToken(service, late.email, "claim");
			service.clock.advance(CLAIM_MS);
			await refused(lateToken);
		});

		test("refuses a withdrawal token", async () => {
			const { email } = await submit(service);
			await refused(await mailedToken(service, email, "withdraw"));
		});

		test("refuses the token of a deleted client, and of a client whose application was deleted", async () => {
			const client = await submitApproved(service);
			await manage("DELETE", `/api-clients/${client.api_client_id}`);
			await refused(await mailedToken(service, client.email, "claim"));

			const other = await submitApproved(service);
			const { app_id } = await readClient(other.api_client_id);
			await manage("DELETE", `/applications/${app_id}`);
			await refused(await mailedToken(service, other.email, "claim"));
		});

		test("refuses the token of a disabled client, and does not consume it", async () => {
			const { email, api_client_id } = await submitApproved(service);
			const claimToken = await mailedToken(service, email, "claim");
			const path = `/api-clients/${api_client_id}`;
			await manage("PATCH", path, { status: "disabled" });
			await refused(claimToken);
			assert.equal((await readClient(api_client_id)).secret_created_at, null);
			await manage("PATCH", path, { status: "active" });
			assert.equal((await readClient(api_client_id)).status, "unclaimed");
			assert.equal((await claim(claimToken)).status, 201);
		});

		test("refuses the token of a client that expired before the claim", async () => {
			const expires_at = new Date(service.clock.now() + 3_600_000).toISOString();
			const { email } = await submitApproved(service, { expires_at });
			const claimToken = await mailedToken(service, email, "claim");
			service.clock.advance(3_600_000);
			await refused(claimToken);
		});

		test("mails no claim link for a rejected request", async () => {
			const { id, email } = await submit(service);
			await manage("POST", `/access-requests/${id}/reject`, { review_note: "No." });
			const [, mail] = await service.mailsTo(email, 2);
			assert.doesNotMatch(`${mail?.text}${mail?.html}`, /claim/);
		});
	});
});
