import assert from "node:assert/strict";
import { before, test } from "node:test";
import { onEachEngine } from "../../../test/harness/databases/each-engine.ts";
import type { AccessRequest, AccessRequestStore } from "../../domain/access-request.ts";
import { UNDECIDED } from "../../domain/request.ts";
import { newId } from "../../kernel/id.ts";

onEachEngine("access requests in SQL", (database) => {
	let now: number;

	const inTransaction = <T>(work: (store: AccessRequestStore) => Promise<T>): Promise<T> =>
		database.db.transaction(({ accessRequests }) => work(accessRequests));

	const add = async (email = `${newId(now)}@partner.example`): Promise<AccessRequest> => {
		const request: AccessRequest = {
			id: newId(now),
			tenantId: database.tenantId,
			applicantName: "Ada",
			email,
			company: "",
			projectName: "Engine",
			purpose: "To compute.",
			locale: "zh-CN",
			...UNDECIDED,
			claimedAtMs: null,
			testCallsOk: 0,
			testCallsRefused: 0,
			createdAtMs: now,
			updatedAtMs: now,
		};
		assert.ok(
			await inTransaction((store) =>
				store.insert({ ...request, withdrawDigest: `w-${request.id}`, testDigest: `t-${request.id}` }),
			),
		);
		return request;
	};

	const REVIEW = { reviewNote: "", reviewedBy: "r", reviewedAtMs: 7, resultId: null } as const;
	const findById = (tenantId: string, id: string) =>
		database.db.stores.requests.findById({ tenantId, memberId: null }, id);

	/** Approved, with the claim digest `c-<id>`, valid until `claimExpiresAtMs`. */
	const addApproved = async (claimExpiresAtMs: number): Promise<AccessRequest> => {
		const { id, tenantId } = await add();
		const approved = await database.db.transaction(async ({ accessRequests, requests }) => {
			await requests.decide(tenantId, id, { ...REVIEW, status: "approved", resultId: newId(now) });
			return await accessRequests.replaceClaim(tenantId, id, `c-${id}`, claimExpiresAtMs, now);
		});
		assert.ok(approved);
		return approved;
	};

	before(async () => {
		now = database.clock.now();
	});

	test("a stored request is returned unchanged", async () => {
		const request = await add();
		assert.deepEqual(await findById(request.tenantId, request.id), {
			...request,
			kind: "partner",
			reviewedByName: null,
			username: null,
			displayName: null,
			appName: null,
		});
	});

	test("a second pending request for an email address is refused, and changes nothing", async () => {
		const first = await add();
		const second = {
			...first,
			id: newId(now),
			purpose: "other",
			withdrawDigest: "w-second",
			testDigest: null,
		};
		assert.equal(await inTransaction((store) => store.insert(second)), false);
		assert.equal(await findById(first.tenantId, second.id), undefined);
		assert.deepEqual(await findById(first.tenantId, first.id), {
			...first,
			kind: "partner",
			reviewedByName: null,
			username: null,
			displayName: null,
			appName: null,
		});
	});

	test("a claim token is valid until the last millisecond before it expires", async () => {
		const early = await addApproved(now + 1);
		assert.equal((await inTransaction((store) => store.consumeClaim(`c-${early.id}`, now)))?.id, early.id);
		const late = await addApproved(now);
		assert.equal(await inTransaction((store) => store.consumeClaim(`c-${late.id}`, now)), undefined);
	});

	test("a claim token is used once, and cannot be replaced afterwards", async () => {
		const { id, tenantId } = await addApproved(now + 1);
		const claim = () => inTransaction((store) => store.consumeClaim(`c-${id}`, now));
		assert.deepEqual([(await claim())?.id, await claim()], [id, undefined]);
		const replace = (store: AccessRequestStore) => store.replaceClaim(tenantId, id, "c-new", now + 9, now);
		assert.equal(await inTransaction(replace), undefined);
	});

	test("no request is decided, resent, or read across tenants", async () => {
		const pending = await add();
		const approved = await addApproved(now + 1);
		const other = newId(now);
		await database.db.transaction(async ({ accessRequests, requests }) => {
			assert.equal(await requests.decide(other, pending.id, { ...REVIEW, status: "rejected" }), undefined);
			assert.equal(await accessRequests.replaceClaim(other, approved.id, "c-other", now + 9, now), undefined);
			assert.equal(await requests.findById({ tenantId: other, memberId: null }, pending.id), undefined);
			assert.deepEqual(await requests.list({ tenantId: other, memberId: null }, { page: 1, pageSize: 20 }), {
				items: [],
				total: 0,
			});
		});
	});

	test("only a pending request is found by its withdrawal token, and stays pending", async () => {
		const pending = await add();
		const approved = await addApproved(now + 1);
		const { findWithdrawable } = database.db.stores.accessRequests;
		assert.deepEqual(await findWithdrawable(`w-${pending.id}`), pending);
		assert.equal(await findWithdrawable(`w-${approved.id}`), undefined);
		assert.equal((await findById(pending.tenantId, pending.id))?.status, "pending");
	});

	test("only a pending request is withdrawn", async () => {
		const pending = await add();
		const approved = await addApproved(now + 1);
		const withdraw = (id: string) => inTransaction((store) => store.withdraw(`w-${id}`, now + 5));
		assert.deepEqual(await withdraw(pending.id), { ...pending, status: "withdrawn", updatedAtMs: now + 5 });
		assert.equal(await withdraw(pending.id), undefined);
		assert.equal(await withdraw(approved.id), undefined);
	});
});
