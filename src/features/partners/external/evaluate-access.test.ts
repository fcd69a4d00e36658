import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { AccessPair } from "../../../domain/access.ts";
import type { CallingClient } from "../../../domain/signing-client.ts";
import { SYSTEM_ORIGIN } from "../../../kernel/origin.ts";
import type { AccessLoader } from "./check-access.ts";
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
	signedWith: "",
};

/** Returns facts of users without grants, and records the loaded pairs. */
function recordingStore() {
	const loads: (readonly AccessPair[])[] = [];
	const facts = () => ({
		user: { status: "active" } as const,
		application: { status: "active", accessPolicy: "open" } as const,
		grants: [],
	});
	const store: AccessLoader = {
		load: async () => facts(),
		noteUse: () => undefined,
		loadAll: async (_, pairs) => {
			loads.push(pairs);
			return pairs.map(facts);
		},
	};
	return { store, loads };
}

const question = (id: string) => ({
	subject: { type: "user", id },
	action: { name: "@access" },
	resource: { type: "application", id: APP },
});

describe("a hundred evaluations", () => {
	it("load each pair of user and application once, in one statement", async () => {
		const { store, loads } = recordingStore();
		const userIds = Array.from({ length: 100 }, (_, index) => USERS[index % 2] as string);
		const responses = await evaluateAccess(store, caller, userIds.map(question));
		assert.equal(responses.length, 100);
		assert.deepEqual(loads, [USERS.map((userId) => ({ userId, appId: APP }))]);
	});

	it("let other work run between them", async () => {
		const { store } = recordingStore();
		let turns = 0;
		const tick = (): void => {
			turns++;
			immediate = setImmediate(tick);
		};
		let immediate = setImmediate(tick);
		const many = Array.from({ length: 100 }, (_, index) =>
			question(`01900000-0000-7000-8000-${String(index).padStart(12, "0")}`),
		);
		await evaluateAccess(store, caller, many);
		clearImmediate(immediate);
		assert.ok(turns >= 9, `only ${turns} turns`);
	});
});
