// Only active clients with a valid Secret, calling from their allowlist, may sign; all other failures look the same.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { submitApproved } from "../harness/access/access-requests.ts";
import { API_CLIENTS, addApiClient, addApplication } from "../harness/access/applications.ts";
import { sendSigned, verdict, WHOAMI } from "../harness/access/signed-wire.ts";
import { addSecondTenant } from "../harness/people/second-tenant.ts";
import { testService } from "../harness/runs/fixture.ts";
import type { RawResponse } from "../harness/service/raw-connection.ts";
import type { Credentials } from "../harness/service/service.ts";

type Client = Credentials & { readonly id: string };

const DAY_MS = 86_400_000;
const service = testService();

/** Signs in as an admin again, because the clock moves past the expiry of a token. */
async function manage<const M extends string, const P extends string>(method: M, path: P, body?: unknown) {
	const token = await service.tokenOf("admin", "correct horse battery staple");
	return service.call(method, path, { token, body });
}

async function patch(client: Client, body: object): Promise<void> {
	assert.equal((await manage("PATCH", `${API_CLIENTS}/${client.id}`, body)).status, 200);
}

const whoami = (client: Credentials): Promise<string> => verdict(sendSigned(service, client));

describe("a client that may not sign", () => {
	/** A refusal as the caller sees it, without the values that differ in every response. */
	const seen = ({ status, headers, body }: RawResponse): object => {
		const { "x-request-id": id, date, "content-length": length, ...rest } = headers;
		assert.ok(id && date && length);
		return { status, headers: rest, body: { ...body, request_id: undefined } };
	};

	test("gets the same response for every reason", async () => {
		const good: Client = await addApiClient(service);
		const other: Client = await addApiClient(service);
		const disabled: Client = await addApiClient(service);
		await patch(disabled, { status: "disabled" });
		const gone: Client = await addApiClient(service);
		assert.equal((await manage("DELETE", `${API_CLIENTS}/${gone.id}`)).status, 204);
		const expired: Client = await addApiClient(service, {
			expires_at: new Date(service.clock.now() + 60_000).toISOString(),
		});
		const { api_client_id } = await submitApproved(service);
		const unclaimed = (await manage("GET", `${API_CLIENTS}/${api_client_id}`)).body.data;
		const second = await addSecondTenant(service);
		service.clock.advance(60_000);
		const refused: Readonly<Record<string, Credentials>> = {
			"unknown key": { ...good, api_key: `ak_${"x".repeat(24)}` },
			"wrong Secret": { ...good, secret: other.secret },
			"wrong tenant": { ...good, tenant_id: second.id },
			"wrong application": { ...good, app_id: other.app_id },
			"another client's key": { ...good, api_key: other.api_key },
			disabled,
			deleted: gone,
			expired,
			unclaimed: { ...unclaimed, secret: good.secret },
		};
		const responses = new Map<string, object>();
		for (const [reason, credentials] of Object.entries(refused))
			responses.set(reason, seen(await sendSigned(service, credentials)));
		const [first] = responses.values();
		assert.deepEqual(first, {
			status: 401,
			headers: {
				"cache-control": "no-store",
				"content-type": "application/problem+json",
				connection: "keep-alive",
				"keep-alive": "timeout=72",
			},
			body: {
				type: "https://localhost:8443/docs/errors#signature.invalid",
				title: "Unauthorized",
				status: 401,
				detail: "signature or credentials are not valid",
				code: "signature.invalid",
				request_id: undefined,
				errors: [],
			},
		});
		for (const [reason, response] of responses) assert.deepEqual(response, first, reason);
		assert.equal(await whoami(good), "200");
	});

	test("is admitted again immediately when enabled", async () => {
		const client: Client = await addApiClient(service);
		await patch(client, { status: "disabled" });
		assert.equal(await whoami(client), "401 signature.invalid");
		await patch(client, { status: "active" });
		assert.equal(await whoami(client), "200");
	});

	test("expires to the millisecond", async () => {
		const now = service.clock.now();
		const client: Client = await addApiClient(service, { expires_at: new Date(now + DAY_MS).toISOString() });
		service.clock.standAt(now + DAY_MS - 1);
		assert.equal(await whoami(client), "200");
		service.clock.standAt(now + DAY_MS);
		assert.equal(await whoami(client), "401 signature.invalid");
	});
});

describe("the allowlist", () => {
	test("admits only the listed addresses and ranges", async () => {
		const client: Client = await addApiClient(service);
		for (const [list, expected] of [
			[[], "200"],
			[["127.0.0.1"], "200"],
			[["192.0.2.0/24", "127.0.0.0/8"], "200"],
			[["::ffff:127.0.0.1"], "200"],
			[["0.0.0.0/0"], "200"],
			[["127.0.0.2"], "403 ip.not_allowed"],
			[["::1"], "403 ip.not_allowed"],
			[["::/0"], "403 ip.not_allowed"],
		] as const) {
			await patch(client, { ip_allowlist: list });
			assert.equal(await whoami(client), expected, JSON.stringify(list));
		}
	});

	test("is revealed only to a caller with a valid signature", async () => {
		const client: Client = await addApiClient(service, { ip_allowlist: ["192.0.2.1"] });
		assert.equal(await whoami({ ...client, secret: "sk_wrong" }), "401 signature.invalid");
		const { body } = await sendSigned(service, client);
		assert.equal(body.detail, "the IP address 127.0.0.1 is not on the allowlist of this API client");
	});

	test("ignores addresses that an untrusted peer claims", async () => {
		const client: Client = await addApiClient(service, { ip_allowlist: ["192.0.2.1"] });
		const response = await service.signed(client, "GET", WHOAMI, {
			headers: { "x-forwarded-for": "192.0.2.1", forwarded: "for=192.0.2.1", "x-real-ip": "192.0.2.1" },
		});
		assert.equal(response.status, 403);
	});
});

describe("a regenerated Secret", () => {
	const regenerate = async (client: Client, body?: object): Promise<Client> => {
		const response = await manage("POST", `${API_CLIENTS}/${client.id}/regenerate-secret`, body);
		assert.equal(response.status, 200);
		return response.body.data;
	};

	test("replaces the old one immediately", async () => {
		const old: Client = await addApiClient(service);
		assert.equal(await whoami(old), "200");
		const fresh = await regenerate(old);
		assert.equal(await whoami(old), "401 signature.invalid");
		assert.equal(await whoami(fresh), "200");
	});

	test("is valid beside the old one until the overlap ends, to the millisecond", async () => {
		const now = service.clock.now();
		service.clock.standAt(now);
		const old: Client = await addApiClient(service);
		const fresh = await regenerate(old, { overlap_seconds: 3_600 });
		service.clock.standAt(now + 3_600_000 - 1);
		assert.equal(await whoami(old), "200");
		assert.equal(await whoami(fresh), "200");
		service.clock.standAt(now + 3_600_000);
		assert.equal(await whoami(old), "401 signature.invalid");
		assert.equal(await whoami(fresh), "200");
	});

	test("leaves at most two valid", async () => {
		const first: Client = await addApiClient(service);
		const second = await regenerate(first, { overlap_seconds: 3_600 });
		const third = await regenerate(second, { overlap_seconds: 3_600 });
		assert.equal(await whoami(first), "401 signature.invalid");
		assert.equal(await whoami(second), "200");
		assert.equal(await whoami(third), "200");
	});

	test("does not make used nonces valid again", async () => {
		const old: Client = await addApiClient(service);
		const nonce = crypto.randomUUID();
		assert.equal(await verdict(sendSigned(service, old, { nonce })), "200");
		const fresh = await regenerate(old, { overlap_seconds: 60 });
		assert.equal(await verdict(sendSigned(service, fresh, { nonce })), "401 nonce.reused");
	});
});

describe("clients of one application", () => {
	test("have separate nonces", async () => {
		const { id: app_id } = await addApplication(service);
		const nonce = crypto.randomUUID();
		for (let count = 0; count < 2; count++) {
			const client = await addApiClient(service, { app_id });
			assert.equal(await verdict(sendSigned(service, client, { nonce })), "200");
		}
	});
});
