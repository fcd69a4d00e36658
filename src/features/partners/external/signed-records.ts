// What the open APIs may read about people: the records of the tenant, or three made-up people for a test client.

import type { AccessFacts, FactGrant } from "../../../domain/access.ts";
import { TEST_APP_ID } from "../../../domain/api-client.ts";
import { newUser } from "../../../domain/new-user.ts";
import type { SignedCaller } from "../../../domain/signing-client.ts";
import type { ThirdPartyAccountStore } from "../../../domain/third-party-account.ts";
import type { User, UserStore } from "../../../domain/user.ts";
import type { Needs } from "../../platform.ts";
import type { AccessLoader } from "./check-access.ts";

interface SignedRecords {
	readonly users: Pick<UserStore, "findById">;
	readonly accessFacts: AccessLoader;
	readonly thirdPartyAccounts: Pick<ThirdPartyAccountStore, "findUser">;
}

/** The only place that chooses: endpoints that admit test clients read about people through it alone. */
export function createRecordsFor({
	db,
	clock,
	signIns,
}: Needs<"users" | "accessFacts" | "thirdPartyAccounts", "clock" | "signIns">) {
	const { users, thirdPartyAccounts, accessFacts } = db.stores;
	const noteUse: AccessLoader["noteUse"] = (tenantId, { userId: id, appId }) =>
		signIns.noteUse({ tenantId, appId, subject: { kind: "user", id }, atMs: clock() });
	const stored = { users, thirdPartyAccounts, accessFacts: { ...accessFacts, noteUse } };
	return ({ mode }: Pick<SignedCaller, "mode">): SignedRecords =>
		mode === "live" ? stored : MADE_UP_RECORDS;
}

/** The usernames, which are also their ids at every identity provider. */
const MADE_UP_PEOPLE = ["test-allowed", "test-denied", "test-disabled"] as const;

const SINCE_MS = Date.UTC(2026, 0, 1);
const PEOPLE = MADE_UP_PEOPLE.map((username, index): User => {
	const fields = { tenantId: "", username, email: `${username}@example.com`, emailVerified: true, roles: [] };
	const status = username === "test-disabled" ? "disabled" : "active";
	const id = `00000000-0000-7000-8000-00000000000${index + 1}`;
	const displayName = `Test ${username.slice("test-".length)}`;
	return { ...newUser(fields, SINCE_MS), id, displayName, status };
});

/** Permits every permission that the integrator requests. */
const GRANT: FactGrant = {
	id: "00000000-0000-7000-8000-000000000201",
	group: undefined,
	roles: [{ id: "00000000-0000-7000-8000-000000000202", name: "test", permissions: ["*"] }],
	expiresAtMs: null,
};

function factsOf(userId: string, appId: string): AccessFacts {
	const user = PEOPLE.find(({ id }) => id === userId);
	return {
		user,
		application: appId === TEST_APP_ID ? { status: "active", accessPolicy: "assigned" } : undefined,
		grants: user?.username === "test-allowed" && appId === TEST_APP_ID ? [GRANT] : [],
	};
}

/** The same for every tenant. Reads nothing that is stored. */
const MADE_UP_RECORDS: SignedRecords = {
	users: {
		findById: async (_tenantId, userId) => PEOPLE.find(({ id }) => id === userId),
	},
	accessFacts: {
		load: async (_tenantId, userId, appId) => factsOf(userId, appId),
		loadAll: async (_tenantId, pairs) => pairs.map(({ userId, appId }) => factsOf(userId, appId)),
		noteUse: () => undefined,
	},
	thirdPartyAccounts: {
		async findUser(tenantId, provider, providerUserId) {
			const user = PEOPLE.find(({ username }) => username === providerUserId);
			if (user === undefined) return undefined;
			const { id, id: userId } = user;
			return { user, account: { id, tenantId, userId, provider, providerUserId, linkedAtMs: SINCE_MS } };
		},
	},
};
