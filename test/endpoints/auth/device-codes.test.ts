// The answers of a person to a device; what the device gets: test/openid/device-flow.test.ts.

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import * as client from "openid-client";
import { SECOND_MS } from "../../../src/kernel/clock.ts";
import { assertUnauthenticated } from "../../harness/applications.ts";
import { type ConnectedClient, connect, relyingParty, startOpenIdService } from "../../harness/openid.ts";
import { addPerson, auditOf, type Person, signInToApplication } from "../../harness/people.ts";
import type { TestService } from "../../harness/service.ts";

const PATH = "/api/v1/auth/device-codes";
const NOT_FOUND = "this code is wrong, was used or has expired";

let service: TestService;
let ada: Person;
let tv: ConnectedClient;
let closed: ConnectedClient;
before(async () => {
	service = await startOpenIdService();
	ada = await addPerson(service, "ada");
	const settings = { type: "native", authMethod: "none" } as const;
	tv = await connect(service, settings, { name: "TV", redirect_uris: [] });
	closed = await connect(service, settings, { name: "Closed", access_policy: "assigned" });
});
after(() => service.stop());

async function begin(of = tv): Promise<string> {
	const party = await relyingParty(service, of, client.None());
	return (await client.initiateDeviceAuthorization(party, { scope: "openid email" })).user_code;
}
type Verb = "preview" | "approve" | "deny";
/** @param by a person, who signs in for it, or a token. */
async function answer(verb: Verb, body: unknown, by: Person | string = ada) {
	// The time that passes here ends access tokens.
	const token = typeof by === "string" ? by : await service.tokenOf(by.username, by.password);
	const path = `${PATH}/${verb}`;
	return service.call<{ data: Record<string, unknown>; error: string }>("POST", path, { token, body });
}

async function refusesBodies(verb: Verb): Promise<void> {
	const others = { other: "field" };
	for (const body of [{}, { user_code: 1 }, { user_code: "" }, { user_code: "B".repeat(41) }, others]) {
		const { status, body: refusal } = await answer(verb, body);
		assert.equal(status, 400, JSON.stringify(body));
		assert.match(refusal.error, /user_code/);
	}
}

async function refusesApplications(verb: Verb): Promise<void> {
	const token = await signInToApplication(service, ada);
	assert.equal((await answer(verb, { user_code: await begin() }, token)).status, 403);
}

async function knowsNone(verb: Verb): Promise<void> {
	// Wrong codes make their person wait.
	const viewer = await addPerson(service, `${verb}-viewer`);
	const used = await begin();
	assert.equal((await answer("deny", { user_code: used }, viewer)).status, 204);
	const expired = await begin();
	service.clock.advance(600 * SECOND_MS);
	for (const user_code of ["BBBB-BBBB", "none", used, expired]) {
		const { status, body } = await answer(verb, { user_code }, viewer);
		assert.deepEqual([status, body.error], [404, NOT_FOUND], user_code);
	}
}

describe("POST /api/v1/auth/device-codes/preview", () => {
	describe("200", () => {
		it("says who asks for what, from where", async () => {
			const { status, body, headers } = await answer("preview", { user_code: await begin() });
			assert.equal(status, 200, JSON.stringify(body));
			assert.equal(headers["cache-control"], "no-store");
			const { requested_at, requested_from, expires_in, ...shown } = body.data;
			assert.equal(Date.parse(String(requested_at)) <= service.clock.now(), true);
			assert.equal(requested_from, "127.0.0.1");
			assert.equal(Number(expires_in) > 500, true);
			assert.deepEqual(shown, {
				application: { id: tv.id, name: "TV", homepage_url: "", logo_url: "" },
				first_party: false,
				scopes: ["openid", "email"],
				apis: [],
			});
		});
	});

	describe("400", () => {
		it("names the field", () => refusesBodies("preview"));
	});

	describe("401", () => {
		it("without a session", () => assertUnauthenticated(service, "POST", `${PATH}/preview`));
	});

	describe("403", () => {
		it("with a token of an application", () => refusesApplications("preview"));
	});

	describe("404", () => {
		it("wrong, malformed, used and expired alike", () => knowsNone("preview"));
	});
});

describe("POST /api/v1/auth/device-codes/approve", () => {
	describe("204", () => {
		it("answers once, and records it", async () => {
			const user_code = await begin();
			assert.equal((await answer("approve", { user_code })).status, 204);
			assert.equal((await answer("approve", { user_code })).status, 404);
			const events = await auditOf(service, `user:${ada.id}`);
			const approved = events.filter(({ action }) => action === "oauth.device_approved");
			assert.equal(approved.length, 1);
			const { session_id, ...details } = approved[0]?.details ?? {};
			assert.equal(typeof session_id, "string");
			assert.deepEqual(details, {
				app_id: tv.id,
				app_name: "TV",
				scopes: "openid email",
				device_ip: "127.0.0.1",
			});
		});
	});

	describe("400", () => {
		it("names the field", () => refusesBodies("approve"));
	});

	describe("401", () => {
		it("without a session", () => assertUnauthenticated(service, "POST", `${PATH}/approve`));
	});

	describe("403", () => {
		it("with a token of an application", () => refusesApplications("approve"));

		it("without access to the application, and the code stays", async () => {
			const user_code = await begin(closed);
			assert.equal((await answer("approve", { user_code })).status, 403);
			assert.equal((await answer("preview", { user_code })).status, 200);
		});
	});

	describe("404", () => {
		it("wrong, malformed, used and expired alike", () => knowsNone("approve"));
	});
});

describe("POST /api/v1/auth/device-codes/deny", () => {
	describe("204", () => {
		it("answers once, also for a person without access to the application", async () => {
			const user_code = await begin(closed);
			assert.equal((await answer("deny", { user_code })).status, 204);
			assert.equal((await answer("deny", { user_code })).status, 404);
		});
	});

	describe("400", () => {
		it("names the field", () => refusesBodies("deny"));
	});

	describe("401", () => {
		it("without a session", () => assertUnauthenticated(service, "POST", `${PATH}/deny`));
	});

	describe("403", () => {
		it("with a token of an application", () => refusesApplications("deny"));
	});

	describe("404", () => {
		it("wrong, malformed, used and expired alike", () => knowsNone("deny"));
	});
});
