import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { stringToSign } from "../../../src/crypto/request-signature.ts";
import { rows, submitApproved } from "../../harness/access-requests.ts";
import {
	ABSENT_ID,
	API_CLIENTS,
	APPLICATIONS,
	addApiClient,
	addCast,
	assertForbidden,
	assertNotFound,
	assertUnauthenticated,
	type Cast,
	problemOf,
} from "../../harness/applications.ts";
import { noncesOf } from "../../harness/claimed-nonces.ts";
import {
	type Credentials,
	signedHeaders,
	startTestService,
	type TestService,
} from "../../harness/service.ts";

const WHOAMI = "/api/v1/external/whoami";
const CHECK_ACCESS = "/api/v1/external/users/check-access";
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

type Client = Credentials & { readonly id: string };
type Check = {
	readonly check: string;
	readonly result: string;
	readonly code: string | null;
	readonly message: string;
	readonly details: readonly string[];
};

describe("POST /api/v1/api-clients/{id}/explain-signature", () => {
	let service: TestService;
	let cast: Cast;
	let client: Client;
	let path: string;
	before(async () => {
		service = await startTestService();
		cast = await addCast(service);
		client = await addApiClient(service);
		path = pathOf(client.id);
	});
	after(() => service.stop());

	const pathOf = (id: string) => `${API_CLIENTS}/${id}/explain-signature` as const;
	const requestOf = (signer: Credentials = client, fields: Record<string, unknown> = {}) => {
		const headers = signedHeaders(signer, { method: "GET", path: WHOAMI, nowMs: service.clock.now() });
		return { method: "GET", target: WHOAMI, headers, ip: "127.0.0.1", ...fields };
	};
	const post = async (id: string, body: unknown) =>
		service.call("POST", pathOf(id), { token: await service.adminToken(), body });
	const explain = async (id: string, body: unknown) => {
		const answer = await post(id, body);
		assert.equal(answer.status, 200, JSON.stringify(answer.body));
		return answer.body.data;
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
				nonces: (await noncesOf(service)).length,
				events: await rows(service, "SELECT count(*) AS total FROM audit_events"),
			});
			const request = requestOf(fresh);
			await service.adminToken();
			const before = await count();
			const wrong = { ...request, headers: { ...request.headers, "x-signature": "0".repeat(64) } };
			for (const body of [request, request, wrong]) {
				const text = JSON.stringify(await explain(fresh.id, body));
				assert.ok(!text.includes(fresh.secret));
				assert.ok(!text.includes(request.headers["x-signature"] as string));
			}
			assert.deepEqual(await count(), before);
			const shown = await service.call("GET", `${API_CLIENTS}/${fresh.id}`, { token: cast.admin });
			assert.equal(shown.body.data.last_used_at, null);
		});

		it("names the check that a request fails, with the code that the service answers", async () => {
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

		it("shows the first line that differs, and whether the Secret was correct", async () => {
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
				hint: "the query stays in the order in which it is sent",
			});
			assert.equal(explained.client_string_signed, true);
			assert.deepEqual(outcomes(explained, "skipped"), ["allowlist"]);
			const headers = signedHeaders({ ...client, secret: "sk_another" }, signed);
			assert.equal((await explain(client.id, { ...request, headers })).client_string_signed, false);
			const same = await explain(client.id, { ...request, target: parts.target });
			assert.deepEqual([same.difference, same.accepted], [null, true]);
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

		it("shows an administrator details that callers do not receive, for this client only", async () => {
			const other = await addApiClient(service);
			const foreign = await explain(client.id, requestOf(other));
			assert.equal(foreign.failed_check, "signature");
			assert.match(
				detailsOf(foreign),
				/X-API-Key is not this client's.*X-App-ID.*not that of string_to_sign/,
			);

			const rotated = await addApiClient(service);
			const regenerate = `${API_CLIENTS}/${rotated.id}/regenerate-secret`;
			const overlap = { token: cast.admin, body: { overlap_seconds: 600 } };
			await service.call("POST", regenerate, overlap);
			const previous = await explain(rotated.id, requestOf(rotated));
			assert.equal(previous.accepted, true);
			assert.match(detailsOf(previous), /with the previous Secret, which counts until 20/);

			const past = requestOf(rotated, { received_at: new Date(service.clock.now() + 600_001).toISOString() });
			assert.match(detailsOf(await explain(rotated.id, past)), /previous Secret, which no longer counts/);

			const off = { token: cast.admin, body: { status: "disabled" } };
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
	});

	describe("200 for a wrong Secret", () => {
		const explainSigned = async (secret: string, of: Client = client): Promise<string> => {
			const request = requestOf({ ...of, secret });
			const { string_to_sign } = await explain(of.id, request);
			return detailsOf(await explain(of.id, { ...request, string_to_sign }));
		};

		it("reports that the nine lines are correct, or requests string_to_sign", async () => {
			const request = requestOf({ ...client, secret: "sk_another" });
			const { string_to_sign, ...without } = await explain(client.id, request);
			assert.match(detailsOf(without), /send string_to_sign to learn whether its nine lines are right$/);
			assert.match(
				await explainSigned("sk_another"),
				/string_to_sign is right in all nine lines, so the Secret is wrong$/,
			);
			const other = { ...request, string_to_sign: `${string_to_sign}\n` };
			const explained = await explain(client.id, other);
			assert.match(detailsOf(explained), /string_to_sign is wrong, and the Secret is too$/);
		});

		it("recognises a Secret without sk_, in quotes, or with surrounding whitespace", async () => {
			const { secret } = client;
			for (const [altered, how] of [
				[secret.slice(3), "without its sk_"],
				[`${secret}\n`, "with a blank or line break at an end"],
				[`${secret}\r\n`, "with a blank or line break at an end"],
				[` ${secret}`, "with a blank or line break at an end"],
				[`"${secret}"`, "in quotes"],
			] as const)
				assert.equal(
					await explainSigned(altered),
					`X-Signature is that of string_to_sign with the current Secret ${how}`,
				);
		});

		it("recognises a replaced Secret, and the service still refuses it", async () => {
			const replaced = await addApiClient(service);
			const regenerate = `${API_CLIENTS}/${replaced.id}/regenerate-secret` as const;
			const answer = await service.call("POST", regenerate, { token: cast.admin });
			assert.equal(answer.body.data.previous_secret_expires_at, null);
			const past = /with the previous Secret, which no longer counts$/;
			assert.match(await explainSigned(replaced.secret, replaced), past);
			assert.match(
				await explainSigned(replaced.secret.slice(3), replaced),
				/with the previous Secret without its sk_, which no longer counts$/,
			);
			const { headers } = requestOf(replaced);
			assert.equal((await service.call("GET", WHOAMI, { https: true, headers })).status, 401);
		});

		it("answers callers with the same message for every wrong Secret", async () => {
			for (const secret of ["sk_another", client.secret.slice(3), `${client.secret}\n`]) {
				const { headers } = requestOf({ ...client, secret });
				const { status, body } = await service.call("GET", WHOAMI, { https: true, headers });
				assert.deepEqual([status, body], [401, { error: "signature or credentials are not valid" }]);
			}
		});
	});

	describe("400", () => {
		it("names the field that is wrong", async () => {
			const good = requestOf();
			for (const [fields, field] of [
				[{ method: "GE T" }, "method"],
				[{ target: "/a b" }, "target"],
				[{ target: "/a\n/b" }, "target"],
				[{ target: undefined }, "target"],
				[{ headers: "X-Nonce: a" }, "headers"],
				[{ headers: [["X-Nonce"]] }, "headers.0"],
				[{ headers: [["X-Nonce", "a\nb"]] }, "headers.0.1"],
				[{ headers: { "X-Nonce": 5 } }, "headers.X-Nonce"],
				[{ body_base64: "not base64" }, "body_base64"],
				[{ body_base64: "YQ==", body_sha256: "a".repeat(64) }, "body_sha256"],
				[{ body_sha256: "A".repeat(64) }, "body_sha256"],
				[{ ip: "localhost" }, "ip"],
				[{ scheme: "ftp" }, "scheme"],
				[{ received_at: "yesterday" }, "received_at"],
				[{ string_to_sign: "" }, "string_to_sign"],
			] as const) {
				const { status, fields: named } = await problemOf(service, "POST", path, { ...good, ...fields });
				assert.deepEqual([status, named], [400, [field]], JSON.stringify(fields));
			}
		});
	});

	describe("401", () => {
		it("needs a token", () => assertUnauthenticated(service, "POST", path, requestOf()));
	});

	describe("403", () => {
		it("refuses callers other than admins", () => {
			const { auditor, reviewer, plain } = cast;
			return assertForbidden(service, [auditor, reviewer, plain], "POST", path, requestOf());
		});
	});

	describe("404", () => {
		it("answers absent, malformed and foreign ids alike", () =>
			assertNotFound(
				service,
				[
					{ token: cast.admin, path: pathOf(ABSENT_ID) },
					{ token: cast.admin, path: pathOf("x") },
					{ token: cast.other.adminToken, path },
				],
				"POST",
				"api_client.not_found",
				requestOf(),
			));
	});
});
