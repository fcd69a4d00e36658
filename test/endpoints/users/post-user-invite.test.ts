import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { mailedToken } from "../../harness/access-requests.ts";
import { addPerson, auditOf } from "../../harness/people.ts";
import { addSecondTenant } from "../../harness/second-tenant.ts";
import { startTestService, type TestService } from "../../harness/service.ts";

const USERS = "/api/v1/users";
const PASSWORD = "a long and winding password";

describe("POST /api/v1/users/{id}/invite", () => {
	let service: TestService;
	before(async () => {
		service = await startTestService();
	});
	after(() => service.stop());

	const addInvited = async (username: string, fields = {}) => {
		const body = { username, email: `${username}@people.example`, invite: true, ...fields };
		const answer = await service.call("POST", USERS, { token: await service.adminToken(), body });
		assert.equal(answer.status, 201, JSON.stringify(answer.body));
		return answer.body.data;
	};
	const send = async (id: string, token?: string) =>
		service.call("POST", `${USERS}/${id}/invite`, {
			token: token ?? (await service.adminToken()),
			headers: { accept: "application/problem+json" },
		});
	const accept = async (token: string) =>
		(await service.call("POST", "/api/v1/auth/invite/accept", { body: { token, password: PASSWORD } }))
			.status;

	describe("202", () => {
		it("mails a new link, which replaces the one before; the answer holds none", async () => {
			const ada = await addInvited("ada");
			const first = await mailedToken(service, ada.email, "invite");
			const answer = await send(ada.id);
			assert.deepEqual([answer.status, answer.body], [202, undefined]);
			const second = await mailedToken(service, ada.email, "invite", 2);
			assert.notEqual(first, second);
			assert.deepEqual([await accept(first), await accept(second)], [404, 200]);
			const invited = (await auditOf(service, `user:${ada.id}`)).filter(
				({ action }) => action === "user.invited",
			);
			assert.equal(invited.length, 2);
		});

		it("mails the new address of a user who was moved, and nothing to the old one", async () => {
			const bea = await addInvited("bea");
			await mailedToken(service, bea.email, "invite");
			const body = { email: "bea2@people.example" };
			const token = await service.adminToken();
			await service.call("PATCH", `${USERS}/${bea.id}`, { token, body });
			assert.equal((await send(bea.id)).status, 202);
			assert.equal(await accept(await mailedToken(service, body.email, "invite")), 200);
			assert.equal((await service.mailsTo(bea.email)).length, 1);
		});

		it("is in the language of the user", async () => {
			const { email } = await addInvited("cal", { locale: "zh-CN" });
			assert.equal((await service.mailsTo(email))[0]?.subject, "邀请您使用账号“cal”");
		});
	});

	describe("401", () => {
		it("needs a token", async () => {
			const { id } = await addInvited("dan");
			assert.equal((await service.call("POST", `${USERS}/${id}/invite`)).status, 401);
		});
	});

	describe("403", () => {
		it("allows admins only", async () => {
			const { id } = await addInvited("eve");
			const auditor = await addPerson(service, "auditor", { roles: ["auditor"] });
			assert.equal((await send(id, auditor.token)).status, 403);
		});

		it("keeps a plain admin from inviting a platform admin", async () => {
			const { id } = await addInvited("root", { roles: ["platform_admin"] });
			const admin = await addPerson(service, "plain-admin", { roles: ["admin"] });
			assert.equal((await send(id, admin.token)).status, 403);
		});
	});

	describe("404", () => {
		it("answers foreign, absent and malformed ids alike", async () => {
			const other = await addSecondTenant(service);
			const { id } = await addInvited("fay");
			assert.equal((await send(id, other.adminToken)).status, 404);
			for (const absent of ["0190a0a0-0000-7000-8000-000000000000", "nobody"])
				assert.equal((await send(absent)).status, 404);
		});
	});

	describe("409", () => {
		it("refuses users who are not invited, or have no address that receives mail", async () => {
			const gil = await addPerson(service, "gil");
			const hal = await addInvited("hal");
			const token = await service.adminToken();
			const patch = (id: string, body: object) => service.call("PATCH", `${USERS}/${id}`, { token, body });
			await patch(hal.id, { email: "hal@nowhere.invalid" });
			for (const id of [gil.id, hal.id]) {
				const { status, body } = await send(id);
				assert.deepEqual([status, body.code], [409, "user.invite_unusable"]);
			}
			await patch(gil.id, { status: "disabled" });
			assert.equal((await send(gil.id)).status, 409);
		});
	});
});
