import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { openTestDatabase, type TestDatabase } from "../../../test/harness/database.ts";
import type { AccessRequest, AccessRequestStore } from "../../domain/access-request.ts";
import { newId } from "../../kernel/id.ts";

let database: TestDatabase;
let now: number;
before(async () => {
	database = await openTestDatabase();
	now = database.clock.now();
});
after(() => database.close());

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
		status: "pending",
		reviewNote: "",
		reviewedBy: null,
		reviewedAtMs: null,
		apiClientId: null,
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

/** Approved, with the claim digest `c-<id>`, valid until `claimExpiresAtMs`. */
const addApproved = async (claimExpiresAtMs: number): Promise<AccessRequest> => {
	const { id, tenantId } = await add();
	const approval = { apiClientId: newId(now), claimDigest: `c-${id}`, claimExpiresAtMs };
	const reviewed = {
		status: "approved",
		reviewNote: "",
		reviewedBy: "r",
		reviewedAtMs: now,
		approval,
	} as const;
	const approved = await inTransaction((store) => store.decide(tenantId, id, reviewed));
	assert.ok(approved);
	return approved;
};

describe("access requests in SQL", () => {
	test("a stored request is returned unchanged", async () => {
		const request = await add();
		assert.deepEqual(await database.db.stores.accessRequests.findById(request.tenantId, request.id), {
			...request,
			reviewedByName: null,
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
		const { findById } = database.db.stores.accessRequests;
		assert.equal(await findById(first.tenantId, second.id), undefined);
		assert.deepEqual(await findById(first.tenantId, first.id), { ...first, reviewedByName: null });
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
		const review = { status: "rejected", reviewNote: "", reviewedBy: "r", reviewedAtMs: now } as const;
		await inTransaction(async (store) => {
			assert.equal(await store.decide(other, pending.id, review), undefined);
			assert.equal(await store.replaceClaim(other, approved.id, "c-other", now + 9, now), undefined);
			assert.equal(await store.findById(other, pending.id), undefined);
			assert.deepEqual(await store.list({ tenantId: other }, { page: 1, pageSize: 20 }), {
				items: [],
				total: 0,
			});
		});
	});

	test("only a pending request is found by its withdrawal token, and stays pending", async () => {
		const pending = await add();
		const approved = await addApproved(now + 1);
		const { findWithdrawable, findById } = database.db.stores.accessRequests;
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
