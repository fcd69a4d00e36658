// Diagnostics of API clients: refused calls, the allowlist report and the explanation of a signature.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { stringToSign } from "../../../src/crypto/request-signature.ts";
import { rows, submitApproved } from "../../harness/access/access-requests.ts";
import {
	ABSENT_ID,
	API_CLIENTS,
	APPLICATIONS,
	addApiClient,
	problemOf,
} from "../../harness/access/applications.ts";
import { addKeyClient, addOwnKey, newKey, withKey } from "../../harness/access/partner-keys.ts";
import { noncesOf } from "../../harness/databases/claimed-nonces.ts";
import { fixture, setup, testService } from "../../harness/runs/fixture.ts";
import { type Credentials, signedHeaders, type TestService } from "../../harness/service/service.ts";

const WHOAMI = "/api/v1/external/whoami";
const CHECK_ACCESS = "/api/v1/external/users/check-access";

type Client = Credentials & { readonly id: string };

let token: string;
const service = testService({ env: { LATCHKEY_TRUSTED_PROXIES: "127.0.0.1" } });
setup(async () => {
	token = await service.adminToken();
});

/** Reads for up to 30 s until the job has written the expected value. */
async function eventually<Value>(
	read: () => Promise<Value>,
	isComplete: (value: Value) => boolean,
): Promise<Value> {
	const deadline = Date.now() + 30_000;
	for (;;) {
		const value = await read();
		if (isComplete(value)) return value;
		assert.ok(Date.now() < deadline, JSON.stringify(value));
		await new Promise((resolve) => setTimeout(resolve, 100));
	}
}

describe("refused calls of an API client", () => {
	const list = async (id: string) => {
		const response = await service.call("GET", `/api/v1/refusals?api_client_id=${id}&page_size=100`, {
			token,
		});
		assert.equal(response.status, 200, JSON.stringify(response.body));
		return response.body.data;
	};
	const listed = (id: string, count: number) =>
		eventually(
			() => list(id),
			(found) => found.length >= count,
		);

	describe("200", () => {
		it("lists refused calls with the cause, and whether their signature was valid", async () => {
			const client = await addApiClient(service, { scopes: ["users:read"] });
			const send = (
				method: string,
				target: string,
				options: Parameters<TestService["signed"]>[3] = {},
				credentials = client,
			) => service.signed(credentials, method, target, options);
			assert.equal((await send("GET", WHOAMI)).status, 200);
			const wrong = { ...client, secret: `${client.secret}x` };
			const sent = [
				await send("GET", WHOAMI, {}, wrong),
				await send("GET", WHOAMI, { timestamp: "1000000000" }),
				await send("GET", WHOAMI, { headers: { "x-nonce": "short" } }),
				await send("POST", "/api/v1/external/users/check-access?secret=1", { body: { user_id: ABSENT_ID } }),
				await send("GET", `/api/v1/external/users/${ABSENT_ID}`),
				await send("GET", `/api/v1/external/person/sk_${"x".repeat(43)}`),
				await send("GET", WHOAMI, { nonce: "a-nonce-that-comes-twice" }),
				await send("GET", WHOAMI, { nonce: "a-nonce-that-comes-twice" }),
			];
			assert.deepEqual(
				sent.map(({ status }) => status),
				[401, 401, 401, 403, 404, 404, 200, 401],
			);
			const found = await listed(client.id, 7);
			assert.deepEqual(
				found
					.map(({ code, reason, path, caller }) => [code, reason, path, caller === `partner:${client.id}`])
					.toSorted(),
				[
					["nonce.reused", null, WHOAMI, true],
					["route.not_found", null, "/api/v1/external/person/***", false],
					["scope.missing", null, "/api/v1/external/users/check-access", true],
					["signature.headers", null, WHOAMI, false],
					["signature.invalid", "signature.mismatch", WHOAMI, false],
					["signature.timestamp", null, WHOAMI, false],
					["user.not_found", null, `/api/v1/external/users/${ABSENT_ID}`, true],
				],
			);
			const ids = sent.filter(({ status }) => status >= 400).map(({ headers }) => headers["x-request-id"]);
			assert.deepEqual(found.map(({ request_id }) => request_id).toSorted(), ids.toSorted());
			assert.deepEqual(Object.keys(found[0] ?? {}).toSorted(), [
				"api_client_id",
				"application_id",
				"at",
				"caller",
				"code",
				"ip",
				"method",
				"path",
				"reason",
				"request_id",
				"rule",
				"subject",
				"subject_name",
			]);
			const { subject, subject_name, application_id, api_client_id, rule } = found[0] ?? {};
			assert.deepEqual(
				[subject, subject_name, application_id, api_client_id, rule],
				["api_client", client.name, client.app_id, client.id, null],
			);
			assert.doesNotMatch(JSON.stringify(found), new RegExp(client.secret));
		});

		it("stores nothing for an API key that no client has", async () => {
			const { id, ...client } = await addApiClient(service);
			const stranger = { ...client, api_key: "ak_0123456789abcdef0123456789" };
			for (let n = 0; n < 3; n++) assert.equal((await service.signed(stranger, "GET", WHOAMI)).status, 401);
			const wrong = { ...client, secret: "sk_of_somebody_else" };
			assert.equal((await service.signed(wrong, "GET", WHOAMI)).status, 401);
			assert.equal((await listed(id, 1)).length, 1);
			const [stored] = await rows<{ total: number }>(
				service,
				"SELECT count(*) AS total FROM refusals WHERE api_client_id IS NULL",
			);
			assert.equal(stored?.total, 0);
		});
	});
});

describe("GET /api/v1/api-clients/{id}/allowlist-report", () => {
	const pathOf = (id: string) => `${API_CLIENTS}/${id}/allowlist-report` as const;
	const report = async (id: string) => {
		const response = await service.call("GET", pathOf(id), { token });
		assert.equal(response.status, 200, JSON.stringify(response.body));
		return response.body.data;
	};
	const reported = async (id: string, requests: number) => {
		const sum =
			"SELECT CAST(COALESCE(sum(requests), 0) AS BIGINT) AS total FROM allowlist_misses WHERE client_id = $1";
		await eventually(
			() => rows<{ total: number }>(service, sum, id),
			([counted]) => counted !== undefined && counted.total >= requests,
		);
		return report(id);
	};

	describe("200", () => {
		it("counts requests by address that the allowlist would refuse, accepts them, and proposes ranges", async () => {
			const client = await addApiClient(service, {
				ip_allowlist: ["192.0.2.0/24"],
				ip_allowlist_mode: "report",
			});
			const from = async (ip: string, nonce?: string): Promise<number> => {
				const headers = { "x-forwarded-for": ip, "x-forwarded-proto": "https" };
				const options = nonce === undefined ? { headers } : { headers, nonce };
				return (await service.signed(client, "GET", WHOAMI, options)).status;
			};
			assert.equal(await from("192.0.2.7"), 200);
			for (const ip of ["203.0.113.8", "203.0.113.9", "203.0.113.10"]) assert.equal(await from(ip), 200);
			const nonce = "a-nonce-that-comes-twice";
			assert.deepEqual([await from("2001:db8::1", nonce), await from("2001:db8::1", nonce)], [200, 401]);
			assert.equal(await from("203.0.113.9"), 200);
			const seen = await reported(client.id, 5);
			assert.deepEqual([seen.ip_allowlist_mode, seen.ip_allowlist], ["report", ["192.0.2.0/24"]]);
			assert.deepEqual(
				seen.addresses.map(({ ip, requests }) => [ip, requests]),
				[
					["203.0.113.9", 2],
					["2001:db8::1", 1],
					["203.0.113.10", 1],
					["203.0.113.8", 1],
				],
			);
			const [mostSeen] = seen.addresses;
			assert.ok(mostSeen && mostSeen.first_seen_at <= mostSeen.last_seen_at);
			assert.deepEqual(seen.proposed_cidrs, [
				{ cidr: "203.0.113.8/30", addresses: 3, requests: 4 },
				{ cidr: "2001:db8::1", addresses: 1, requests: 1 },
			]);

			await service.call("PATCH", `${API_CLIENTS}/${client.id}`, {
				token,
				body: { ip_allowlist: ["192.0.2.0/24", "203.0.113.8/30"], ip_allowlist_mode: "enforce" },
			});
			const left = await report(client.id);
			assert.deepEqual(
				left.addresses.map(({ ip }) => ip),
				["2001:db8::1"],
			);
			assert.deepEqual([await from("203.0.113.9"), await from("2001:db8::1")], [200, 403]);

			await service.call("PATCH", `${API_CLIENTS}/${client.id}`, {
				token,
				body: { ip_allowlist_mode: "report" },
			});
			assert.deepEqual((await report(client.id)).addresses, []);
		});

		it("is empty for a client with an empty allowlist", async () => {
			const { id, ...client } = await addApiClient(service, { ip_allowlist_mode: "report" });
			assert.equal((await service.signed(client, "GET", WHOAMI)).status, 200);
			const { addresses, proposed_cidrs } = await report(id);
			assert.deepEqual([addresses, proposed_cidrs], [[], []]);
		});
	});
});

describe("POST /api/v1/api-clients/{id}/explain-signature", () => {
	const ALL = [
		"https",
		"target",
		"body_allowed",
		"headers",
		"timestamp",
		"signature",
		"allowlist",
		"nonce",
		"scope",
		"body",
	];

	type Check = {
		readonly check: string;
		readonly result: string;
		readonly code: string | null;
		readonly message: string;
		readonly details: readonly string[];
	};

	const client = fixture(() => addApiClient(service));
	const pathOf = (id: string) => `${API_CLIENTS}/${id}/explain-signature` as const;
	const requestOf = (signer: Credentials = client, fields: Record<string, unknown> = {}) => {
		const headers = signedHeaders(signer, { method: "GET", path: WHOAMI, nowMs: service.clock.now() });
		return { method: "GET", target: WHOAMI, headers, ip: "127.0.0.1", ...fields };
	};
	const explain = async (id: string, body: unknown) => {
		const response = await service.call("POST", pathOf(id), { token, body });
		assert.equal(response.status, 200, JSON.stringify(response.body));
		return response.body.data;
	};
	const outcomes = (explained: { readonly checks: readonly Check[] }, result: string): string[] =>
		explained.checks
			.filter((check) => check.result === result)
			.map(({ check, code }) => (code === null ? check : `${check} ${code}`));
	const detailsOf = (explained: { readonly checks: readonly Check[] }): string =>
		explained.checks.find(({ check }) => check === "signature")?.details.join("; ") ?? "";

	describe("200", () => {
		it("reports every check in order as passed for a valid request, which the service then accepts", async () => {
			const request = requestOf();
			const explained = await explain(client.id, request);
			assert.deepEqual(
				[explained.accepted, explained.failed_check, explained.difference],
				[true, null, null],
			);
			assert.deepEqual(
				explained.checks.map(({ check }) => check),
				ALL,
			);
			assert.deepEqual(outcomes(explained, "passed"), ALL);
			assert.equal(explained.client_string_signed, null);
			assert.match(detailsOf(explained), /current Secret, which ends in/);
			assert.equal(explained.string_to_sign.split("\n").length, 9);
			const { headers } = request;
			const sent = await service.call("GET", WHOAMI, { https: true, headers });
			assert.equal(sent.status, 200);
			assert.deepEqual(outcomes(await explain(client.id, request), "failed"), ["nonce nonce.reused"]);
		});

		it("stores nothing, consumes no nonce, and reveals neither a Secret nor a valid signature", async () => {
			const fresh = await addApiClient(service);
			const count = async () => ({
				nonces: (await noncesOf(service)).size,
				events: await rows(service, "SELECT count(*) AS total FROM audit_events"),
			});
			const request = requestOf(fresh);
			const before = await count();
			const wrong = { ...request, headers: { ...request.headers, "x-signature": "0".repeat(64) } };
			for (const body of [request, request, wrong]) {
				const text = JSON.stringify(await explain(fresh.id, body));
				assert.ok(!text.includes(fresh.secret));
				assert.ok(!text.includes(request.headers["x-signature"] as string));
			}
			assert.deepEqual(await count(), before);
			const shown = await service.call("GET", `${API_CLIENTS}/${fresh.id}`, { token });
			assert.equal(shown.body.data.last_used_at, null);
		});

		it("names the check that a request fails, with the code that the service returns", async () => {
			const stale = String(Math.floor(service.clock.now() / 1000) - 301);
			const old = signedHeaders(client, { method: "GET", path: WHOAMI, timestamp: stale, nowMs: 0 });
			const { headers } = requestOf();
			const listed = Object.entries(headers);
			const cases: readonly (readonly [Record<string, unknown>, string])[] = [
				[requestOf(client, { scheme: "http" }), "https transport.https_required"],
				[requestOf(client, { headers: old }), "timestamp signature.timestamp"],
				[
					requestOf(client, { headers: { ...headers, "x-signature": "1".repeat(64) } }),
					"signature signature.invalid",
				],
				[
					requestOf(client, { headers: [...listed, ["X-Nonce", "a-second-nonce-1"]] }),
					"headers signature.headers",
				],
				[requestOf(client, { headers: listed.slice(1) }), "headers signature.headers"],
				[requestOf(client, { headers: { ...headers, "x-nonce": ["short"] } }), "headers signature.headers"],
			];
			for (const [body, failed] of cases) {
				const explained = await explain(client.id, body);
				assert.deepEqual(outcomes(explained, "failed"), [failed]);
				assert.equal(explained.failed_check, failed.split(" ")[0]);
				assert.equal(explained.accepted, false);
			}
			const late = requestOf(client, {
				headers: old,
				received_at: new Date(service.clock.now() - 60_000).toISOString(),
			});
			assert.equal((await explain(client.id, late)).accepted, true);
		});

		it("returns the first line that differs, and whether the Secret was correct", async () => {
			const [method, target] = ["GET", "/api/v1/external/users/x?b=1&a=2"];
			const parts = {
				method,
				target: "/api/v1/external/users/x?a=2&b=1",
				tenantId: client.tenant_id,
				appId: client.app_id,
				apiKey: client.api_key,
				timestamp: String(Math.floor(service.clock.now() / 1000)),
				nonce: "a-nonce-to-explain",
				bodySha256: "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
			};
			const signed = { ...parts, path: parts.target, nowMs: 0 };
			const string_to_sign = stringToSign(parts);
			const request = { method, target, headers: signedHeaders(client, signed), string_to_sign };
			const explained = await explain(client.id, request);
			assert.equal(explained.failed_check, "signature");
			assert.deepEqual(explained.difference, {
				line: 3,
				name: "request target",
				service: target,
				client: parts.target,
				hint: "keep the query in the order in which it is sent",
			});
			assert.equal(explained.client_string_signed, true);
			assert.deepEqual(outcomes(explained, "skipped"), ["allowlist"]);
			const headers = signedHeaders({ ...client, secret: "sk_another" }, signed);
			assert.equal((await explain(client.id, { ...request, headers })).client_string_signed, false);
			const same = await explain(client.id, { ...request, target: parts.target });
			assert.deepEqual([same.difference, same.accepted], [null, true]);
		});

		it("explains the signatures of keys, and those that a client of the other kind sent", async () => {
			const signer = await addKeyClient(service);
			const held = newKey();
			const valid = await explain(signer.id, requestOf(signer));
			assert.deepEqual([valid.accepted, valid.string_to_sign.split("\n")[0]], [true, "V1-ED25519"]);
			assert.equal(detailsOf(valid), `X-Signature matches string_to_sign with the key ${signer.key_id}`);
			const none = `X-Signature does not match string_to_sign with the key ${signer.key_id}`;
			const wrong = requestOf({ ...signer, privateKey: held.privateKey });
			assert.equal(
				detailsOf(await explain(signer.id, wrong)),
				`${none}; send string_to_sign to learn whether its nine lines are correct`,
			);
			const { string_to_sign } = await explain(signer.id, wrong);
			const told = await explain(signer.id, { ...wrong, string_to_sign });
			assert.deepEqual(
				[detailsOf(told), told.client_string_signed, told.difference],
				[`${none}; all nine lines of string_to_sign are correct, so the private key is wrong`, false, null],
			);
			const elsewhere = { ...requestOf(signer), target: `${WHOAMI}?a=1` };
			const mine = (await explain(signer.id, elsewhere)).string_to_sign.replace("?a=1", "");
			const moved = await explain(signer.id, { ...elsewhere, string_to_sign: mine });
			assert.match(detailsOf(moved), /matches the string that the client signed with the key /);
			assert.deepEqual([moved.client_string_signed, moved.difference?.line], [true, 3]);
			const line = mine.replace("V1-ED25519", "V1-HMAC-SHA256");
			assert.equal(
				(await explain(signer.id, { ...requestOf(signer), string_to_sign: line })).difference?.hint,
				"a Secret signs V1-HMAC-SHA256, and a key V1-ED25519",
			);
			const { id: _, ...asClient } = client;
			const key = requestOf({ ...asClient, privateKey: held.privateKey });
			assert.match(detailsOf(await explain(client.id, key)), /128 hex digits.*signs with its Secret/);
			const { privateKey: __, ...withoutKey } = signer;
			const secret = requestOf({ ...withoutKey, secret: "sk_any" });
			assert.match(detailsOf(await explain(signer.id, secret)), /64 hex digits.*signs with a key/);
			const { tenant_id } = await service.asAdmin("GET", "/api/v1/users/me");
			const review = (partner_keys_need_review: boolean) =>
				service.asAdmin("PATCH", `/api/v1/tenants/${tenant_id}`, { partner_keys_need_review });
			await review(true);
			const added = await addOwnKey(service, signer);
			await review(false);
			assert.equal(
				detailsOf(await explain(signer.id, requestOf(withKey(signer, added)))),
				`X-Signature matches string_to_sign with the key ${added.key_id}, which signs nothing until a reviewer accepts it`,
			);
		});

		it("checks the allowlist, the scope and the body of the endpoint that the target names", async () => {
			const limited = await addApiClient(service, {
				ip_allowlist: ["192.0.2.0/24"],
				scopes: ["users:read"],
			});
			const body = JSON.stringify({ user_id: "x" });
			const nowMs = service.clock.now();
			const headers = {
				...signedHeaders(limited, { method: "POST", path: CHECK_ACCESS, body, nowMs }),
				"Content-Type": "application/json",
			};
			const request = { method: "POST", target: CHECK_ACCESS, headers, ip: "::ffff:198.51.100.1" };
			const body_base64 = Buffer.from(body).toString("base64");
			const explained = await explain(limited.id, { ...request, body_base64 });
			assert.deepEqual(outcomes(explained, "failed"), [
				"allowlist ip.not_allowed",
				"scope scope.missing",
				"body request.invalid",
			]);
			const digest = explained.string_to_sign.split("\n")[8];
			const byDigest = await explain(limited.id, { ...request, body_sha256: digest, ip: "192.0.2.9" });
			assert.deepEqual(
				[outcomes(byDigest, "failed"), outcomes(byDigest, "skipped")],
				[["scope scope.missing"], ["body"]],
			);
			const get = { ...requestOf(limited, { ip: "192.0.2.9" }), body_base64 };
			assert.equal((await explain(limited.id, get)).failed_check, "body_allowed");
			const head = signedHeaders(limited, { method: "HEAD", path: WHOAMI, nowMs });
			const headRequest = { method: "HEAD", target: WHOAMI, headers: head, ip: "192.0.2.9" };
			assert.deepEqual(outcomes(await explain(limited.id, headRequest), "passed"), ALL);
			const nowhere = await explain(limited.id, { ...request, target: "/api/v1/external/nothing" });
			assert.deepEqual(outcomes(nowhere, "skipped"), ["scope", "body"]);
		});

		it("returns details that callers do not receive, for this client only", async () => {
			const other = await addApiClient(service);
			const foreign = await explain(client.id, requestOf(other));
			assert.equal(foreign.failed_check, "signature");
			assert.match(
				detailsOf(foreign),
				/X-API-Key is not the API key of this.*X-App-ID.*does not match string_to_sign/,
			);

			const rotated = await addApiClient(service);
			const regenerate = `${API_CLIENTS}/${rotated.id}/regenerate-secret`;
			const overlap = { token, body: { overlap_seconds: 600 } };
			await service.call("POST", regenerate, overlap);
			const previous = await explain(rotated.id, requestOf(rotated));
			assert.equal(previous.accepted, true);
			assert.match(detailsOf(previous), /with the previous Secret, which is valid until 20/);

			const past = requestOf(rotated, { received_at: new Date(service.clock.now() + 600_001).toISOString() });
			assert.match(detailsOf(await explain(rotated.id, past)), /previous Secret, which is no longer valid/);

			const off = { token, body: { status: "disabled" } };
			await service.call("PATCH", `${API_CLIENTS}/${rotated.id}`, off);
			assert.match(detailsOf(await explain(rotated.id, requestOf(rotated))), /the client is disabled/);
			const orphan = await addApiClient(service);
			await service.call("PATCH", `${APPLICATIONS}/${orphan.app_id}`, off);
			assert.match(
				detailsOf(await explain(orphan.id, requestOf(orphan))),
				/the client's application is disabled/,
			);
			const waiting = await submitApproved(service);
			assert.match(
				detailsOf(await explain(waiting.api_client_id, requestOf())),
				/the client is unclaimed; the client has no Secret yet/,
			);
		});

		const explainSigned = async (secret: string, of: Client = client): Promise<string> => {
			const request = requestOf({ ...of, secret });
			const { string_to_sign } = await explain(of.id, request);
			return detailsOf(await explain(of.id, { ...request, string_to_sign }));
		};

		it("reports that the nine lines are correct, or requests string_to_sign", async () => {
			const request = requestOf({ ...client, secret: "sk_another" });
			const { string_to_sign, ...without } = await explain(client.id, request);
			assert.match(detailsOf(without), /send string_to_sign to learn whether its nine lines are correct$/);
			assert.match(
				await explainSigned("sk_another"),
				/all nine lines of string_to_sign are correct, so the Secret is wrong$/,
			);
			const other = { ...request, string_to_sign: `${string_to_sign}\n` };
			const explained = await explain(client.id, other);
			assert.match(detailsOf(explained), /string_to_sign is wrong, and so is the Secret$/);
		});

		it("recognizes a Secret without sk_, in quotes, or with surrounding whitespace", async () => {
			const { secret } = client;
			for (const [altered, how] of [
				[secret.slice(3), "without its sk_"],
				[`${secret}\n`, "with a leading or trailing space or line break"],
				[`${secret}\r\n`, "with a leading or trailing space or line break"],
				[` ${secret}`, "with a leading or trailing space or line break"],
				[`"${secret}"`, "in quotes"],
			] as const)
				assert.equal(
					await explainSigned(altered),
					`X-Signature matches string_to_sign with the current Secret ${how}`,
				);
		});

		it("recognizes a replaced Secret, and the service still refuses it", async () => {
			const replaced = await addApiClient(service);
			const regenerate = `${API_CLIENTS}/${replaced.id}/regenerate-secret` as const;
			const response = await service.call("POST", regenerate, { token });
			assert.equal(response.body.data.previous_secret_expires_at, null);
			const past = /with the previous Secret, which is no longer valid$/;
			assert.match(await explainSigned(replaced.secret, replaced), past);
			assert.match(
				await explainSigned(replaced.secret.slice(3), replaced),
				/with the previous Secret without its sk_, which is no longer valid$/,
			);
			const { headers } = requestOf(replaced);
			assert.equal((await service.call("GET", WHOAMI, { https: true, headers })).status, 401);
		});

		it("returns the same message for every wrong Secret", async () => {
			for (const secret of ["sk_another", client.secret.slice(3), `${client.secret}\n`]) {
				const { headers } = requestOf({ ...client, secret });
				const { status, body } = await service.call("GET", WHOAMI, { https: true, headers });
				assert.deepEqual([status, body], [401, { error: "signature or credentials are not valid" }]);
			}
		});
	});

	describe("400", () => {
		it("names the invalid field", async () => {
			const good = requestOf();
			for (const [fields, field] of [
				[{ method: "GE T" }, "method"],
				[{ target: "/a b" }, "target"],
				[{ target: "/a\n/b" }, "target"],
				[{ headers: "X-Nonce: a" }, "headers"],
				[{ headers: [["X-Nonce"]] }, "headers.0"],
				[{ headers: [["X-Nonce", "a\nb"]] }, "headers.0.1"],
				[{ headers: { "X-Nonce": 5 } }, "headers.X-Nonce"],
				[{ body_base64: "not base64" }, "body_base64"],
				[{ body_base64: "YQ==", body_sha256: "a".repeat(64) }, "body_sha256"],
				[{ body_sha256: "A".repeat(64) }, "body_sha256"],
				[{ ip: "localhost" }, "ip"],
			] as const) {
				const { status, fields: named } = await problemOf(service, "POST", pathOf(client.id), {
					...good,
					...fields,
				});
				assert.deepEqual([status, named], [400, [field]], JSON.stringify(fields));
			}
		});
	});
});
