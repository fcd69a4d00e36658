// Two nodes on one database: each relying party receives one notice of each ended session.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { decodeJwt } from "jose";
import { rows } from "../harness/access/access-requests.ts";
import { POSTGRES_SKIPPED } from "../harness/databases/postgres-skipped.ts";
import {
	connect,
	obtainTokens,
	relyingParty,
	startOpenIdService,
	TestBrowser,
} from "../harness/openid/openid.ts";
import { addPerson } from "../harness/people/people.ts";
import { atDepth } from "../harness/runs/depth.ts";
import { fixture } from "../harness/runs/fixture.ts";
import { twoNodes } from "../harness/service/two-nodes.ts";
import { RECEIVER_NETWORK, startWebhookReceiver } from "../harness/webhooks/webhook-receiver.ts";
import { eventually } from "../harness/webhooks/webhooks.ts";

const SESSIONS = atDepth({ quick: 6, all: 6, long: 24 });

describe("logout notices on two nodes", { skip: POSTGRES_SKIPPED }, () => {
	const nodes = twoNodes({
		env: { LATCHKEY_WEBHOOK_ALLOWED_NETWORKS: RECEIVER_NETWORK },
		start: startOpenIdService,
	});
	const receiver = fixture(() => startWebhookReceiver(), "close");

	test("are sent once each, by either node", async () => {
		const [first] = nodes;
		assert.ok(first);
		const shop = await connect(first, { firstParty: true, backchannelLogoutUri: receiver.url });
		const party = await relyingParty(first, shop);
		const person = await addPerson(first, "often.signed.in");
		const sessions = new Set<string>();
		for (let count = 0; count < SESSIONS; count++) {
			const browser = new TestBrowser(first);
			const token = await browser.signIn(person.username, person.password);
			sessions.add(String((await obtainTokens(party, browser, token)).claims()?.sid));
		}
		assert.equal(sessions.size, SESSIONS);
		// Slow enough that both nodes look for work while attempts are under way.
		receiver.response((response) => void setTimeout(() => response.writeHead(204).end(), 700));
		const adminToken = await first.adminToken();
		const path = `/api/v1/users/${person.id}/sessions/revoke`;
		assert.equal((await first.call("POST", path, { token: adminToken })).status, 200);
		await eventually(
			() => rows(first, "SELECT session_id FROM logout_notices"),
			(left) => left.length === 0,
		);
		const sids = receiver.received.map(
			({ body }) => decodeJwt(new URLSearchParams(body).get("logout_token") ?? "").sid,
		);
		assert.equal(sids.length, SESSIONS);
		assert.deepEqual(new Set(sids), sessions);
	});
});
