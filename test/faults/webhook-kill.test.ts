// A kill -9 after an event is sent to a webhook and before that is recorded: the same event arrives again.

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { ownSettings, type ReadyProgram, startProgram } from "../harness/processes/program.ts";
import { temporaryFolder } from "../harness/runs/folder.ts";
import { ADMIN } from "../harness/service/service.ts";
import {
	RECEIVER_NETWORK,
	startWebhookReceiver,
	verified,
	type WebhookReceiver,
} from "../harness/webhooks/webhook-receiver.ts";
import { WEBHOOKS } from "../harness/webhooks/webhooks.ts";

/** The lease of the killed attempt, a start, and a margin for a busy machine. */
const PATIENCE_MS = 40_000;

async function post(program: ReadyProgram, path: string, body: object, token = "") {
	const response = await fetch(program.httpUrl + path, {
		method: "POST",
		headers: {
			"content-type": "application/json",
			...(token === "" ? {} : { authorization: `Bearer ${token}` }),
		},
		body: JSON.stringify(body),
	});
	const answer: { data: { access_token: string; secret: string } } = JSON.parse(await response.text());
	assert.ok(response.ok, JSON.stringify(answer));
	return answer.data;
}

async function arrived(receiver: WebhookReceiver, count: number): Promise<void> {
	const deadline = Date.now() + PATIENCE_MS;
	while (receiver.received.length < count) {
		assert.ok(Date.now() < deadline, `${receiver.received.length} of ${count} webhooks arrived`);
		await new Promise((resolve) => setTimeout(resolve, 50));
	}
}

test("an event whose sender is killed while sending arrives again with the same webhook-id and body", async () => {
	using folder = temporaryFolder();
	const receiver = await startWebhookReceiver();
	const caFile = join(folder.path, "receiver.pem");
	writeFileSync(caFile, receiver.certificate);
	const env = {
		...(await ownSettings(join(folder.path, "data"))),
		LATCHKEY_ADMIN_PASSWORD: ADMIN.password,
		LATCHKEY_WEBHOOK_ALLOWED_NETWORKS: RECEIVER_NETWORK,
		NODE_EXTRA_CA_CERTS: caFile,
	};
	let program = await startProgram({ env });
	try {
		const { access_token: token } = await post(program, "/api/v1/auth/login", ADMIN);
		const wanted = { url: receiver.url, event_types: ["session.started"] };
		const { secret } = await post(program, WEBHOOKS, wanted, token);
		receiver.response(() => program.kill("SIGKILL"));
		await post(program, "/api/v1/auth/login", ADMIN);
		assert.equal((await program.exited).signal, "SIGKILL");
		receiver.response(200);
		program = await startProgram({ env });
		await arrived(receiver, 2);
		const [first, again] = receiver.received;
		assert.ok(first && again);
		assert.equal(again.headers["webhook-id"], first.headers["webhook-id"]);
		assert.equal(again.body, first.body);
		assert.equal(verified(again, secret).type, "session.started");
	} finally {
		await program.end();
		await receiver.close();
	}
});
