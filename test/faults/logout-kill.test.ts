// A kill -9 after a logout token is sent and before that is recorded: the relying party is notified again.

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { decodeJwt } from "jose";
import { openSqlite } from "../../src/adapters/sqlite/sqlite.ts";
import { createOAuthClientStore } from "../../src/adapters/stores/oauth-client-store.ts";
import { createOAuthGrantStore } from "../../src/adapters/stores/oauth-record-store.ts";
import { NO_OAUTH_SECRET } from "../../src/domain/oauth-client.ts";
import { DAY_MS } from "../../src/kernel/clock.ts";
import { ownSettings, type ReadyProgram, startProgram } from "../harness/processes/program.ts";
import { temporaryFolder } from "../harness/runs/folder.ts";
import { ADMIN } from "../harness/service/service.ts";
import { RECEIVER_NETWORK, startWebhookReceiver } from "../harness/webhooks/webhook-receiver.ts";

/** The lease of the killed attempt, a start, and a margin for a busy machine. */
const PATIENCE_MS = 40_000;

async function call(program: ReadyProgram, method: string, path: string, token?: string, body?: object) {
	const response = await fetch(`${program.httpUrl}/api/v1${path}`, {
		method,
		headers: {
			...(body && { "content-type": "application/json" }),
			...(token && { authorization: `Bearer ${token}` }),
		},
		...(body && { body: JSON.stringify(body) }),
	});
	const text = await response.text();
	assert.ok(response.ok, text);
	return text === "" ? {} : JSON.parse(text).data;
}

/** A client that receives logout tokens, with a grant in the session of the access token. */
async function connectSession(dataDir: string, applicationId: string, token: string, uri: string) {
	const { sid, sub, tenant_id } = decodeJwt<{ sid: string; sub: string; tenant_id: string }>(token);
	const engine = openSqlite(join(dataDir, "latchkey.db"));
	const now = Date.now();
	try {
		await createOAuthClientStore(engine.queries).insert({
			...NO_OAUTH_SECRET,
			applicationId,
			tenantId: tenant_id,
			type: "spa",
			authMethod: "none",
			postLogoutRedirectUris: [],
			backchannelLogoutUri: uri,
			firstParty: true,
			idTokenAlg: "ES256",
			pkce: "required",
			deviceFlow: false,
			responseModes: ["query", "fragment"],
			jwks: null,
			jwksUri: null,
			resource: null,
			allowedResources: [],
			actsForPeople: [],
			workloads: [],
			assertionAudiences: [],
			profile: "none",
			claims: [],
			createdAtMs: now,
			updatedAtMs: now,
		});
		await createOAuthGrantStore(engine.queries).insert({
			id: "grant",
			tenantId: tenant_id,
			clientId: applicationId,
			userId: sub,
			sessionId: sid,
			payload: {},
			createdAtMs: now,
			expiresAtMs: now + DAY_MS,
		});
	} finally {
		await engine.close();
	}
	return sid;
}

test("a relying party is notified of a sign-out although the sender was killed in the middle", async () => {
	using folder = temporaryFolder();
	const dataDir = join(folder.path, "data");
	const receiver = await startWebhookReceiver();
	const caFile = join(folder.path, "receiver.pem");
	writeFileSync(caFile, receiver.certificate);
	const env = {
		...(await ownSettings(dataDir)),
		LATCHKEY_ADMIN_PASSWORD: ADMIN.password,
		LATCHKEY_WEBHOOK_ALLOWED_NETWORKS: RECEIVER_NETWORK,
		NODE_EXTRA_CA_CERTS: caFile,
	};
	let program = await startProgram({ env });
	try {
		const { access_token: token } = await call(program, "POST", "/auth/login", undefined, ADMIN);
		const { id } = await call(program, "POST", "/applications", token, { name: "Shop" });
		const sid = await connectSession(dataDir, id, token, receiver.url);
		receiver.response(() => program.kill("SIGKILL"));
		await call(program, "DELETE", `/users/me/sessions/${sid}`, token);
		assert.equal((await program.exited).signal, "SIGKILL");
		receiver.response(200);
		program = await startProgram({ env });
		const deadline = Date.now() + PATIENCE_MS;
		while (receiver.received.length < 2) {
			assert.ok(Date.now() < deadline, `${receiver.received.length} of 2 logout tokens arrived`);
			await new Promise((resolve) => setTimeout(resolve, 50));
		}
		const tokens = receiver.received.map(({ body }) =>
			decodeJwt(new URLSearchParams(body).get("logout_token") ?? ""),
		);
		assert.deepEqual(
			tokens.map((claims) => [claims.sid, claims.aud]),
			[
				[sid, id],
				[sid, id],
			],
		);
		assert.notEqual(tokens[0]?.jti, tokens[1]?.jti);
	} finally {
		await program.end();
		await receiver.close();
	}
});
