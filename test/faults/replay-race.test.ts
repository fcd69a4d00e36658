// Many copies of one signed request at once: one is accepted.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { addApiClient } from "../harness/access/applications.ts";
import { addKeyClient } from "../harness/access/partner-keys.ts";
import { sendCopies, signedBytes } from "../harness/access/signed-wire.ts";
import { atDepth } from "../harness/runs/depth.ts";
import { setup, testService } from "../harness/runs/fixture.ts";
import type { Credentials } from "../harness/service/service.ts";

const COPIES = atDepth({ quick: 50, all: 50, long: 200 });

const service = testService();
let clients: readonly Credentials[];
setup(async () => {
	clients = [await addApiClient(service), await addKeyClient(service)];
});

describe(`${COPIES} signed requests at once`, () => {
	test("are accepted once when they are copies, each over its own connection", async () => {
		for (const client of clients) {
			const responses = await sendCopies(service, signedBytes(service, client), COPIES);
			const counts = new Map<string, number>();
			for (const { status, body } of responses) {
				const verdict = `${status} ${body?.code ?? "ok"}`;
				counts.set(verdict, (counts.get(verdict) ?? 0) + 1);
			}
			assert.deepEqual(Object.fromEntries(counts), { "200 ok": 1, "401 nonce.reused": COPIES - 1 });
		}
	});

	test("are all accepted when each has its own nonce", async () => {
		const responses = await Promise.all(
			Array.from({ length: COPIES }, (_, index) =>
				service.signed(clients[index % 2] as Credentials, "GET", "/api/v1/external/whoami"),
			),
		);
		for (const { status } of responses) assert.equal(status, 200);
	});
});
