import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { AccessFactStore, AccessPair } from "../../../domain/access.ts";
import type { CallingClient } from "../../../domain/signing-client.ts";
import { SYSTEM_ORIGIN } from "../../../kernel/origin.ts";
import { checkAccessBatch } from "./check-access.ts";
import { evaluateAccess } from "./evaluate-access.ts";

const APP = "01900000-0000-7000-8000-00000000000a";
const USERS = ["01900000-0000-7000-8000-000000000001", "01900000-0000-7000-8000-000000000002"];
const caller: CallingClient = {
	id: "c",
	tenantId: "t",
	userId: null,
	actor: "api_client:c",
	actorName: "",
	origin: SYSTEM_ORIGIN,
	appId: APP,
	mode: "live",
	scopes: [],
	secretSealed: "",
};

/** Returns facts of users without grants. Records the loaded pairs and counts how often grants are read. */
function recordingStore() {
	const loads: (readonly AccessPair[])[] = [];
	let reads = 0;
	const facts = () => ({
		user: { status: "active" } as const,
		application: { status: "active", accessPolicy: "open" } as const,
		get grants() {
			reads++;
			return [];
		},
	});
	const store: AccessFactStore = {
		load: async () => facts(),
		loadOfCaller: async () => facts(),
		loadAll: async (_, pairs) => {
			loads.push(pairs);
			return pairs.map(facts);
		},
	};
	return { store, loads, reads: () => reads };
}

describe("a hundred questions about two users", () => {
	const userIds = Array.from({ length: 100 }, (_, index) => USERS[index % 2] as string);
	const pairs = USERS.map((userId) => ({ userId, appId: APP }));

	it("load two pairs in one statement, and list each once", async () => {
		const { store, loads, reads } = recordingStore();
		const questions = userIds.map((userId) => ({ userId, appId: undefined, permission: undefined }));
		const responses = await checkAccessBatch(store, caller, questions, true);
		assert.deepEqual(
			responses.map(({ user_id }) => user_id),
			userIds,
		);
		assert.deepEqual(loads, [pairs]);
		// Each decision reads them once, and so does each list of a user.
		assert.equal(reads(), 100 + 2);
	});

	it("load two pairs over AuthZEN too", async () => {
		const { store, loads } = recordingStore();
		const responses = await evaluateAccess(
			store,
			caller,
			userIds.map((id) => ({
				subject: { type: "user", id },
				action: { name: "@access" },
				resource: { type: "application", id: APP },
			})),
		);
		assert.equal(responses.length, 100);
		assert.deepEqual(loads, [pairs]);
	});

	it("let other work run between them", async () => {
		const { store } = recordingStore();
		let turns = 0;
		const tick = (): void => {
			turns++;
			immediate = setImmediate(tick);
		};
		let immediate = setImmediate(tick);
		const many = Array.from({ length: 100 }, (_, index) => ({
			userId: `01900000-0000-7000-8000-${String(index).padStart(12, "0")}`,
			appId: undefined,
			permission: undefined,
		}));
		await checkAccessBatch(store, caller, many, true);
		clearImmediate(immediate);
		assert.ok(turns >= 50, `only ${turns} turns`);
	});
});
