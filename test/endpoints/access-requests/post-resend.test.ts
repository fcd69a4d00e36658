import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import {
	auditOf,
	decide,
	mailedLinks,
	mailedToken,
	REQUESTS,
	submit,
	submitApproved,
} from "../../harness/access-requests.ts";
import { addPerson } from "../../harness/people.ts";
import { addSecondTenant } from "../../harness/second-tenant.ts";
import { startTestService, type TestService } from "../../harness/service.ts";

const DAY_MS = 86_400_000;

let service: TestService;
before(async () => {
	service = await startTestService();
});
after(() => service.stop());

const resend = async (id: string, as?: string) =>
	service.call("POST", `${REQUESTS}/${id}/resend`, { token: as ?? (await service.adminToken()) });
const claim = (claimToken: string) =>
	service.call("POST", `${REQUESTS}/claim`, { body: { token: claimToken } });

describe("POST /api/v1/access-requests/{id}/resend", () => {
	describe("202", () => {
		test("mails a new link and invalidates the old one", async () => {
			const { id, email } = await submitApproved(service, { review_note: "Welcome." });
			const first = await mailedToken(service, email, "claim");
			const answer = await resend(id);
			assert.equal(answer.status, 202);
			assert.equal(answer.body, undefined);
			const second = await mailedToken(service, email, "claim", 2);
			assert.notEqual(second, first);
			const [, , mail] = await service.mailsTo(email, 3);
			assert.match(mail?.text ?? "", /Welcome\./);
			assert.equal((await claim(first)).status, 404);
			assert.equal((await claim(second)).status, 201);
		});

		test("accepts a reviewer, and audits the resend", async () => {
			const { id } = await submitApproved(service);
			const reviewer = await addPerson(service, "resend-reviewer", { roles: ["reviewer"] });
			assert.equal((await resend(id, reviewer.token)).status, 202);
			assert.equal(
				(await auditOf(service, `access_request:${id}`)).at(-1),
				`user:${reviewer.id} access_request.claim_resent`,
			);
		});

		test("leaves exactly one of several simultaneously resent links valid", async () => {
			const { id, email } = await submitApproved(service);
			const answers = await Promise.all(Array.from({ length: 10 }, () => resend(id)));
			assert.ok(answers.every(({ status }) => status === 202));
			const links = await mailedLinks(service, email, "claim", 11);
			const statuses: number[] = [];
			for (const link of links) statuses.push((await claim(link.split("#")[1] as string)).status);
			assert.deepEqual(statuses.sort(), [201, ...Array.from({ length: 10 }, () => 404)]);
		});

		test("accepts the resend after the old link has expired", async () => {
			const { id, email } = await submitApproved(service);
			const first = await mailedToken(service, email, "claim");
			service.clock.advance(7 * DAY_MS);
			assert.equal((await resend(id)).status, 202);
			const second = await mailedToken(service, email, "claim", 2);
			assert.equal((await claim(first)).status, 404);
			assert.equal((await claim(second)).status, 201);
		});
	});

	describe("401", () => {
		test("needs a token", async () => {
			const { id } = await submitApproved(service);
			assert.equal((await service.call("POST", `${REQUESTS}/${id}/resend`)).status, 401);
		});
	});

	describe("403", () => {
		for (const roles of [["auditor"], []]) {
			test(`refuses the roles [${roles}]`, async () => {
				const { id, email } = await submitApproved(service);
				const person = await addPerson(service, `resend-${roles[0] ?? "nobody"}`, { roles });
				assert.equal((await resend(id, person.token)).status, 403);
				assert.equal((await claim(await mailedToken(service, email, "claim"))).status, 201);
			});
		}
	});

	describe("404", () => {
		test("answers absent, malformed and foreign ids alike, and the link stays valid", async () => {
			const second = await addSecondTenant(service);
			const { id, email } = await submitApproved(service);
			const unknown = await resend("01980000-0000-7000-8000-000000000000");
			const foreign = await resend(id, second.adminToken);
			assert.equal(unknown.status, 404);
			assert.equal(foreign.status, 404);
			assert.deepEqual(foreign.body, unknown.body);
			assert.equal((await resend("nonsense")).status, 404);
			assert.equal((await claim(await mailedToken(service, email, "claim"))).status, 201);
		});
	});

	describe("409", () => {
		const refused = async (id: string, code: string): Promise<void> => {
			const token = await service.adminToken();
			const headers = { accept: "application/problem+json" };
			const answer = await service.call("POST", `${REQUESTS}/${id}/resend`, { token, headers });
			assert.equal(answer.status, 409);
			assert.equal(answer.body.code, code);
		};

		test("refuses a pending, rejected or withdrawn request", async () => {
			const pending = await submit(service);
			await refused(pending.id, "access_request.not_approved");
			await decide(service, pending.id, "reject");
			await refused(pending.id, "access_request.not_approved");
			const withdrawn = await submit(service);
			await service.call("POST", `${REQUESTS}/withdraw`, {
				body: { token: await mailedToken(service, withdrawn.email, "withdraw") },
			});
			await refused(withdrawn.id, "access_request.not_approved");
		});

		test("refuses a claimed request, and mails nothing", async () => {
			const { id, email } = await submitApproved(service);
			assert.equal((await claim(await mailedToken(service, email, "claim"))).status, 201);
			await refused(id, "access_request.already_claimed");
			assert.equal((await service.mailsTo(email)).length, 2);
		});

		test("refuses a request whose client is disabled, deleted or expired, and keeps the old link valid", async () => {
			const disabled = await submitApproved(service);
			const token = await service.adminToken();
			const path = `/api/v1/api-clients/${disabled.api_client_id}`;
			const setStatus = async (status: string) =>
				assert.equal((await service.call("PATCH", path, { token, body: { status } })).status, 200);
			await setStatus("disabled");
			await refused(disabled.id, "access_request.client_unavailable");
			await setStatus("active");
			assert.equal((await claim(await mailedToken(service, disabled.email, "claim"))).status, 201);

			const deleted = await submitApproved(service);
			await service.call("DELETE", `/api/v1/api-clients/${deleted.api_client_id}`, { token });
			await refused(deleted.id, "access_request.client_unavailable");

			const expires_at = new Date(service.clock.now() + DAY_MS).toISOString();
			const expiring = await submitApproved(service, { expires_at });
			service.clock.advance(DAY_MS);
			await refused(expiring.id, "access_request.client_unavailable");
		});
	});
});
