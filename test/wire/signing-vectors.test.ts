// The service accepts each vector of docs/signing-vectors.json once.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { parseMasterKeys, SecretBox } from "../../src/crypto/secret-box.ts";
import { DEFAULT_SCOPES } from "../../src/domain/api-client.ts";
import { secretContext } from "../../src/domain/client-secret.ts";
import { verdict } from "../harness/access/signed-wire.ts";
import { persistenceOn } from "../harness/databases/persistence.ts";
import { setup, testService } from "../harness/runs/fixture.ts";
import { exchange, type RawResponse, requestBytes } from "../harness/service/raw-connection.ts";
import type { Credentials } from "../harness/service/service.ts";

interface Vector {
	readonly id: string;
	readonly comment: string;
	readonly method: string;
	readonly target: string;
	readonly timestamp: string;
	readonly nonce: string;
	readonly body_base64: string;
	readonly signature: string;
}

const known: {
	readonly client: Credentials;
	readonly server_time: number;
	readonly vectors: readonly Vector[];
} = JSON.parse(readFileSync(new URL("../../docs/signing-vectors.json", import.meta.url), "utf8"));

/** The status of each vector if the signature is valid: the user is unknown, and some bodies lack required fields. */
const ANSWERS: Readonly<Record<string, string>> = {
	P1: "404 user.not_found",
	P2: "200",
	P3: "400 request.invalid",
	P4: "404 user.not_found",
	P5: "400 request.invalid",
	P6: "404 user.not_found",
};

const service = testService();
setup(async () => {
	await insertKnownClient();
});

/** Writes the rows directly to the database of the running service: no API can set a Secret. */
async function insertKnownClient(): Promise<void> {
	const secretBox = new SecretBox(parseMasterKeys(service.masterKeys()));
	await using engine = await service.openDatabase();
	const now = known.server_time * 1000;
	const times = { createdAtMs: now, updatedAtMs: now };
	const { tenant_id: tenantId, app_id: appId, api_key: apiKey, secret } = known.client;
	const id = "44444444-4444-4444-8444-444444444444";
	const db = persistenceOn(engine, () => now, secretBox, { newId: () => id });
	await db.transaction(async ({ tenants, applications, apiClients }) => {
		await tenants.insert({ id: tenantId, name: "Vectors", slug: "vectors", ...times });
		await applications.insert({
			id: appId,
			tenantId,
			name: "Vectors",
			slug: "vectors",
			description: "",
			homepageUrl: "",
			logoUrl: "",
			redirectUris: [],
			accessPolicy: "open",
			status: "active",
			...times,
		});
		await apiClients.insert({
			id,
			tenantId,
			appId,
			mode: "live",
			apiKey,
			name: "Vectors",
			secretHint: secret.slice(-4),
			publicKeys: [],
			status: "active",
			scopes: DEFAULT_SCOPES,
			ipAllowlist: [],
			ipAllowlistMode: "enforce",
			expiresAtMs: null,
			lastUsedAtMs: null,
			disabledReason: null,
			lastUsedIp: "",
			secretCreatedAtMs: now,
			previousSecretExpiresAtMs: null,
			accessRequestId: null,
			createdBy: null,
			secretSealed: secretBox.seal(secret, secretContext(id)),
			previousSecretSealed: null,
			...times,
		});
	});
}

function send(vector: Vector): Promise<RawResponse> {
	const body = Buffer.from(vector.body_base64, "base64");
	const headers = [
		["Host", "localhost"],
		["Accept", "application/problem+json"],
		...(body.length === 0
			? []
			: ([
					["Content-Type", "application/json"],
					["Content-Length", String(body.length)],
				] as const)),
		["X-Tenant-ID", known.client.tenant_id],
		["X-App-ID", known.client.app_id],
		["X-API-Key", known.client.api_key],
		["X-Timestamp", vector.timestamp],
		["X-Nonce", vector.nonce],
		["X-Signature", vector.signature],
	] as const;
	return exchange(service, requestBytes(vector.method, vector.target, headers, body), { secure: true });
}

describe("the signing vectors", () => {
	for (const vector of known.vectors) {
		test(`${vector.id}: ${vector.comment}`, async () => {
			service.clock.standAt(known.server_time * 1000);
			assert.equal(await verdict(send(vector)), ANSWERS[vector.id]);
			assert.equal(await verdict(send(vector)), "401 nonce.reused");
			const signature = vector.signature.replace(/^./, (digit) => (digit === "0" ? "1" : "0"));
			assert.equal(await verdict(send({ ...vector, signature })), "401 signature.invalid");
		});
	}

	test("are valid at the very edges of their window", async () => {
		for (const [id, atMs] of [
			["P5", known.server_time * 1000 + 1000],
			["P6", known.server_time * 1000 - 1],
		] as const) {
			service.clock.standAt(atMs);
			const vector = known.vectors.find((candidate) => candidate.id === id) as Vector;
			assert.equal(await verdict(send(vector)), "401 signature.timestamp", id);
		}
	});
});
