// The links that applicants receive: claim, resend, withdrawal and its preview.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { DAY_MS } from "../../../src/kernel/clock.ts";
import {
	auditOf,
	decide,
	mailedLinks,
	mailedToken,
	QUEUE,
	REQUESTS,
	rows,
	submit,
	submitApproved,
} from "../../harness/access/access-requests.ts";
import { problemOf, withSecret } from "../../harness/access/applications.ts";
import { addSecondTenant } from "../../harness/people/second-tenant.ts";
import { atDepth } from "../../harness/runs/depth.ts";
import { testService } from "../../harness/runs/fixture.ts";
import type { CallResponse } from "../../harness/service/service.ts";

const CLAIM_MS = 7 * DAY_MS;
const WHOAMI = "/api/v1/external/whoami";

const service = testService();

/** As the first admin. */
const manage = async <const M extends string, const P extends string>(method: M, path: P, body?: unknown) =>
	service.callAsAdmin(method, `/api/v1${path}`, { body });
const readClient = async (id: string) => (await manage("GET", `/api-clients/${id}`)).body.data;
const readRequest = async (id: string) => (await manage("GET", `/requests/${id}`)).body.data;
const resend = (id: string) => manage("POST", `/requests/${id}/resend`);
const claim = (token: unknown) => service.call("POST", `${REQUESTS}/claim`, { body: { token } });
const withdraw = (token: unknown) => service.call("POST", `${REQUESTS}/withdraw`, { body: { token } });
const preview = (token: unknown) => service.call("POST", `${REQUESTS}/withdraw/preview`, { body: { token } });

/** The refusal of an unknown token. */
async function assertUnknown(
	send: (token: unknown) => Promise<CallResponse<unknown>>,
	token: string,
): Promise<void> {
	const unknown = await send("A".repeat(43));
	const response = await send(token);
	assert.deepEqual([response.status, response.body], [404, unknown.body]);
	assert.deepEqual(Object.keys(response.body as object), ["error"]);
}

/** Withdrawal tokens that are malformed, used, or belong to decided requests. */
async function invalidWithdrawals(): Promise<string[]> {
	const { email } = await submit(service);
	const used = await mailedToken(service, email, "withdraw");
	assert.equal((await withdraw(used)).status, 204);
	const tokens = [used, "x", "\ud800", "a\0b"];
	for (const verb of ["approve", "reject"] as const) {
		const request = await submit(service);
		tokens.push(await mailedToken(service, request.email, "withdraw"));
		await decide(service, request.id, verb);
		if (verb === "approve") tokens.push(await mailedToken(service, request.email, "claim"));
	}
	return tokens;
}

describe("POST /api/v1/access-requests/claim", () => {
	describe("201", () => {
		it("returns the active client with its Secret, once", async () => {
			const approved = await submitApproved(service, { ip_allowlist: ["127.0.0.1"] });
			const claimToken = await mailedToken(service, approved.email, "claim");
			const response = await claim(claimToken);
			assert.equal(response.status, 201);
			assert.equal(response.headers["cache-control"], "no-store");
			const { secret, ...client } = withSecret(response.body.data);
			assert.match(secret, /^sk_[A-Za-z0-9_-]{43}$/);
			assert.equal(client.id, approved.api_client_id);
			assert.equal(client.status, "active");
			assert.equal(client.secret_hint, secret.slice(-4));
			assert.equal(client.access_request_id, approved.id);
			assert.equal(client.secret_created_at, client.updated_at);
			assert.deepEqual(client.ip_allowlist, ["127.0.0.1"]);
			assert.deepEqual(await readClient(client.id), client);
			const request = await readRequest(approved.id);
			assert.deepEqual([approved.claimed_at, request.claimed_at], [null, client.secret_created_at]);
			assert.equal((await claim(claimToken)).status, 404);
			assert.deepEqual(await readClient(client.id), client);
		});

		it("requires no tenant, since the token identifies it", async () => {
			const second = await addSecondTenant(service);
			const record = await submit(service, {}, { "x-tenant-id": second.id });
			const path = `${QUEUE}/${record.id}/approve`;
			await service.call("POST", path, { token: second.adminToken, body: {} });
			const { data } = (await claim(await mailedToken(service, record.email, "claim"))).body;
			assert.equal(data.tenant_id, second.id);
			assert.equal((await manage("GET", `/api-clients/${data.id}`)).status, 404);
		});

		it("audits the claim, and neither logs nor stores the Secret or the token in plain text", async () => {
			const { email, id, api_client_id } = await submitApproved(service);
			const claimToken = await mailedToken(service, email, "claim");
			const { secret } = withSecret((await claim(claimToken)).body.data);
			assert.equal(
				(await auditOf(service, `api_client:${api_client_id}`)).at(-1),
				"anonymous api_client.claimed",
			);
			assert.equal((await auditOf(service, `access_request:${id}`)).length, 2);
			const stored = JSON.stringify([
				await rows(service, "SELECT * FROM api_clients WHERE id = $1", api_client_id),
				await rows(service, "SELECT * FROM requests WHERE id = $1", id),
				await rows(service, "SELECT * FROM audit_events"),
			]);
			for (const plain of [secret, secret.slice(3), claimToken]) {
				assert.ok(!stored.includes(plain));
				assert.ok(!service.logs().includes(plain));
			}
		});

		it("accepts the token until just before it is seven days old", async () => {
			const { email } = await submitApproved(service);
			const claimToken = await mailedToken(service, email, "claim");
			service.clock.advance(CLAIM_MS - 60_000);
			assert.equal((await claim(claimToken)).status, 201);
		});

		it("returns the Secret to one of many concurrent claims", async () => {
			const { email } = await submitApproved(service);
			const claimToken = await mailedToken(service, email, "claim");
			const responses = await Promise.all(Array.from({ length: 50 }, () => claim(claimToken)));
			const statuses = responses.map(({ status }) => status).toSorted();
			assert.deepEqual(statuses, [201, ...Array(49).fill(404)]);
			const winner = responses.find(({ status }) => status === 201)?.body.data;
			assert.ok(winner);
			assert.equal((await service.signed(withSecret(winner), "GET", WHOAMI)).status, 200);
		});

		it("leaves at most one valid token after a concurrent claim and resend", async () => {
			for (let round = 0; round < atDepth({ quick: 1, all: 5, long: 100 }); round++) {
				const { id, email } = await submitApproved(service);
				const first = await mailedToken(service, email, "claim");
				const [claimed, resent] = await Promise.all([claim(first), resend(id)]);
				if (claimed.status === 201) {
					assert.equal(resent.status, 409);
				} else {
					assert.equal(resent.status, 202);
					assert.equal((await claim(await mailedToken(service, email, "claim", 2))).status, 201);
				}
			}
		});
	});

	describe("404", () => {
		const refused = (token: string) => assertUnknown(claim, token);

		it("refuses malformed tokens, and a valid one with surrounding text", async () => {
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

		it("refuses used and expired tokens", async () => {
			const used = await submitApproved(service);
			const usedToken = await mailedToken(service, used.email, "claim");
			assert.equal((await claim(usedToken)).status, 201);
			await refused(usedToken);

			const late = await submitApproved(service);
			const lateToken = await mailedToken(service, late.email, "claim");
			service.clock.advance(CLAIM_MS);
			await refused(lateToken);
		});

		it("refuses a withdrawal token", async () => {
			const { email } = await submit(service);
			await refused(await mailedToken(service, email, "withdraw"));
		});

		it("refuses the token of a deleted client, and of a client whose application was deleted", async () => {
			const client = await submitApproved(service);
			await manage("DELETE", `/api-clients/${client.api_client_id}`);
			await refused(await mailedToken(service, client.email, "claim"));

			const other = await submitApproved(service);
			const { app_id } = await readClient(other.api_client_id);
			await manage("DELETE", `/applications/${app_id}`);
			await refused(await mailedToken(service, other.email, "claim"));
		});

		it("refuses the token of a disabled client, and does not consume it", async () => {
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

		it("refuses the token of a client that expired before the claim", async () => {
			const expires_at = new Date(service.clock.now() + 3_600_000).toISOString();
			const { email } = await submitApproved(service, { expires_at });
			const claimToken = await mailedToken(service, email, "claim");
			service.clock.advance(3_600_000);
			await refused(claimToken);
		});
	});
});

describe("POST /api/v1/requests/{id}/resend", () => {
	describe("202", () => {
		it("mails a new link and invalidates the old one", async () => {
			const { id, email } = await submitApproved(service, { review_note: "Welcome." });
			const first = await mailedToken(service, email, "claim");
			const response = await resend(id);
			assert.equal(response.status, 202);
			assert.equal(response.body, undefined);
			const second = await mailedToken(service, email, "claim", 2);
			assert.notEqual(second, first);
			const [, , mail] = await service.mailsTo(email, 3);
			assert.match(mail?.text ?? "", /Welcome\./);
			assert.equal((await claim(first)).status, 404);
			assert.equal((await claim(second)).status, 201);
		});

		it("audits the resend", async () => {
			const { id, reviewed_by } = await submitApproved(service);
			assert.equal((await resend(id)).status, 202);
			const last = (await auditOf(service, `access_request:${id}`)).at(-1);
			assert.equal(last, `user:${reviewed_by} access_request.claim_resent`);
		});

		it("leaves exactly one of several concurrently resent links valid", async () => {
			const { id, email } = await submitApproved(service);
			const responses = await Promise.all(Array.from({ length: 10 }, () => resend(id)));
			assert.ok(responses.every(({ status }) => status === 202));
			const links = await mailedLinks(service, email, "claim", 11);
			const statuses: number[] = [];
			for (const link of links) statuses.push((await claim(link.split("#")[1] as string)).status);
			assert.deepEqual(statuses.sort(), [201, ...Array.from({ length: 10 }, () => 404)]);
		});

		it("replaces a link that has expired", async () => {
			const { id, email } = await submitApproved(service);
			const first = await mailedToken(service, email, "claim");
			service.clock.advance(CLAIM_MS);
			assert.equal((await resend(id)).status, 202);
			const second = await mailedToken(service, email, "claim", 2);
			assert.equal((await claim(first)).status, 404);
			assert.equal((await claim(second)).status, 201);
		});
	});

	describe("409", () => {
		const refused = async (id: string, code: string): Promise<void> => {
			const response = await problemOf(service, "POST", `${QUEUE}/${id}/resend`);
			assert.deepEqual([response.status, response.code], [409, code]);
		};

		it("refuses a pending, rejected or withdrawn request", async () => {
			const pending = await submit(service);
			await refused(pending.id, "request.not_approved");
			await decide(service, pending.id, "reject");
			await refused(pending.id, "request.not_approved");
			const withdrawn = await submit(service);
			await withdraw(await mailedToken(service, withdrawn.email, "withdraw"));
			await refused(withdrawn.id, "request.not_approved");
		});

		it("refuses a claimed request, and mails nothing", async () => {
			const { id, email } = await submitApproved(service);
			assert.equal((await claim(await mailedToken(service, email, "claim"))).status, 201);
			await refused(id, "access_request.already_claimed");
			assert.equal((await service.mailsTo(email, 2)).length, 2);
		});

		it("refuses a request whose client is disabled, deleted or expired, and keeps the old link valid", async () => {
			const disabled = await submitApproved(service);
			const setStatus = async (status: string) =>
				assert.equal(
					(await manage("PATCH", `/api-clients/${disabled.api_client_id}`, { status })).status,
					200,
				);
			await setStatus("disabled");
			await refused(disabled.id, "access_request.client_unavailable");
			await setStatus("active");
			assert.equal((await claim(await mailedToken(service, disabled.email, "claim"))).status, 201);

			const deleted = await submitApproved(service);
			await manage("DELETE", `/api-clients/${deleted.api_client_id}`);
			await refused(deleted.id, "access_request.client_unavailable");

			const expires_at = new Date(service.clock.now() + DAY_MS).toISOString();
			const expiring = await submitApproved(service, { expires_at });
			service.clock.advance(DAY_MS);
			await refused(expiring.id, "access_request.client_unavailable");
		});
	});
});

describe("POST /api/v1/access-requests/withdraw", () => {
	describe("204", () => {
		it("withdraws the request without a reviewer, and audits it", async () => {
			const record = await submit(service);
			const response = await withdraw(await mailedToken(service, record.email, "withdraw"));
			assert.equal(response.status, 204);
			assert.equal(response.body, undefined);
			const { updated_at, ...withdrawn } = await readRequest(record.id);
			const { updated_at: submittedAt, ...submitted } = record;
			assert.deepEqual(withdrawn, {
				...submitted,
				kind: "partner",
				status: "withdrawn",
				mixed_scripts: [],
				test_calls_ok: 0,
				test_calls_refused: 0,
				api_client_id: null,
				reviewed_by_name: null,
				claimed_at: null,
				public_keys: [],
			});
			assert.ok(updated_at >= submittedAt);
			assert.deepEqual(await auditOf(service, `access_request:${record.id}`), [
				"anonymous access_request.submitted",
				"anonymous access_request.withdrawn",
			]);
		});

		it("accepts the token of another tenant's request", async () => {
			const second = await addSecondTenant(service);
			const { id, email } = await submit(service, {}, { "x-tenant-id": second.id });
			assert.equal((await withdraw(await mailedToken(service, email, "withdraw"))).status, 204);
			const response = await service.call("GET", `${QUEUE}/${id}`, { token: second.adminToken });
			assert.equal(response.body.data.status, "withdrawn");
		});

		it("accepts one of twenty concurrent withdrawals", async () => {
			const { email } = await submit(service);
			const good = await mailedToken(service, email, "withdraw");
			const responses = await Promise.all(Array.from({ length: 20 }, () => withdraw(good)));
			const statuses = responses.map(({ status }) => status).sort();
			assert.deepEqual(statuses, [204, ...Array.from({ length: 19 }, () => 404)]);
		});
	});

	describe("404", () => {
		it("refuses unknown, malformed, used and claim tokens, and those of decided requests, alike", async () => {
			for (const token of await invalidWithdrawals()) await assertUnknown(withdraw, token);
		});

		it("refuses the token of an earlier request of the same email address", async () => {
			const { email } = await submit(service);
			const first = await mailedToken(service, email, "withdraw");
			await withdraw(first);
			const { id } = await submit(service, { email });
			assert.equal((await withdraw(first)).status, 404);
			assert.equal((await readRequest(id)).status, "pending");
		});
	});
});

describe("POST /api/v1/access-requests/withdraw/preview", () => {
	describe("200", () => {
		it("returns the request, does not consume the token, and is not audited", async () => {
			const { id, email, ...record } = await submit(service, {
				company: "Analytical Ltd",
				project_name: "Engine 2",
			});
			const token = await mailedToken(service, email, "withdraw");
			for (let time = 0; time < 2; time++) {
				const response = await preview(token);
				assert.equal(response.status, 200);
				assert.deepEqual(response.body, {
					data: {
						applicant_name: record.applicant_name,
						company: "Analytical Ltd",
						project_name: "Engine 2",
						status: "pending",
						created_at: record.created_at,
					},
				});
			}
			assert.deepEqual(await auditOf(service, `access_request:${id}`), [
				"anonymous access_request.submitted",
			]);
			assert.equal((await withdraw(token)).status, 204);
		});

		it("returns the request of another tenant", async () => {
			const second = await addSecondTenant(service);
			const { email } = await submit(service, { project_name: "Elsewhere" }, { "x-tenant-id": second.id });
			const { body } = await preview(await mailedToken(service, email, "withdraw"));
			assert.equal(body.data.project_name, "Elsewhere");
		});
	});

	describe("404", () => {
		it("refuses the tokens that a withdrawal refuses, with the same response", async () => {
			for (const token of await invalidWithdrawals()) {
				await assertUnknown(preview, token);
				assert.deepEqual((await preview(token)).body, (await withdraw(token)).body);
			}
		});
	});
});
