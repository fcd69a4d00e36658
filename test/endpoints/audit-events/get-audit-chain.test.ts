import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { Queries } from "../../../src/adapters/sql/engine.ts";
import { addCast, assertForbidden, assertUnauthenticated, type Cast } from "../../harness/applications.ts";
import { unlockAudit } from "../../harness/audit.ts";
import { startTestService, type TestService } from "../../harness/service.ts";

const PATH = "/api/v1/audit-events/chain";

describe("GET /api/v1/audit-events/chain", () => {
	let service: TestService;
	let cast: Cast;
	before(async () => {
		service = await startTestService();
		cast = await addCast(service);
	});
	after(() => service.stop());

	const newest = async () =>
		(await service.call("GET", "/api/v1/audit-events?page_size=1", { token: cast.admin })).body;
	/** The guards of the table would refuse these changes. */
	const tamper = async (work: (queries: Queries) => Promise<void>) => {
		const engine = await service.openDatabase();
		try {
			await unlockAudit(engine);
			await work(engine.queries);
		} finally {
			await engine.close();
		}
	};

	describe("200", () => {
		it("tells the end of the chain, and that it holds, to admins and auditors", async () => {
			const { data, total } = await newest();
			for (const token of [cast.admin, cast.auditor.token]) {
				const { status, body } = await service.call("GET", PATH, { token });
				assert.equal(status, 200);
				assert.deepEqual(body.data, {
					last_sequence: total,
					last_hash: data[0]?.hash,
					last_at: data[0]?.at,
					checked: total,
					broken_at: null,
					pruned_up_to: 0,
					pruned_at: null,
				});
			}
		});

		it("names the first of the events that was changed", async () => {
			const { data } = await newest();
			const { id = "", action = "" } = data[0] ?? {};
			const state = async () => (await service.call("GET", PATH, { token: cast.admin })).body.data;
			await tamper(async (queries) => {
				const sql = "UPDATE audit_events SET action = $2 WHERE id = $1";
				await queries.run(sql, id, "user.deleted");
				const { broken_at, last_sequence } = await state();
				assert.equal(broken_at, last_sequence);
				await queries.run(sql, id, action);
				assert.equal((await state()).broken_at, null);
			});
		});

		it("checks the trail of the caller's tenant", async () => {
			const own = (await service.call("GET", PATH, { token: cast.admin })).body.data;
			const other = (await service.call("GET", PATH, { token: cast.other.adminToken })).body.data;
			assert.notEqual(other.last_hash, own.last_hash);
			assert.equal(other.broken_at, null);
		});
	});

	describe("401", () => {
		it("needs a token", () => assertUnauthenticated(service, "GET", PATH));
	});

	describe("403", () => {
		it("is not for others", () => assertForbidden(service, [cast.reviewer, cast.plain], "GET", PATH));
	});
});
