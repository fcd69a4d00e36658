// `latchkey-sign`, as the package contains it: compiled, and without a checkout.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createPublicKey, verify } from "node:crypto";
import { once } from "node:events";
import { chmodSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join, resolve } from "node:path";
import { text } from "node:stream/consumers";
import { before, describe, test } from "node:test";
import packageJson from "../../packages/client/package.json" with { type: "json" };
import { compileClient } from "../../scripts/build-packages.ts";
import { temporaryFolder } from "../harness/runs/folder.ts";
import { KEYS, KNOWN_CLIENT, VECTORS } from "./vectors.ts";

const CREDENTIALS = {
	LK_TENANT_ID: KNOWN_CLIENT.tenantId,
	LK_APP_ID: KNOWN_CLIENT.appId,
	LK_API_KEY: KNOWN_CLIENT.apiKey,
};

describe("latchkey-sign", () => {
	const folder = temporaryFolder();
	before(() => {
		compileClient(join(folder.path, "dist"));
		return () => folder[Symbol.dispose]();
	});

	async function run(
		args: readonly string[],
		env: NodeJS.ProcessEnv = CREDENTIALS,
		input: Uint8Array = Buffer.of(),
	) {
		const program = resolve(folder.path, packageJson.bin["latchkey-sign"]);
		const child = spawn(process.execPath, [program, ...args], {
			env: { LK_BASE_URL: KNOWN_CLIENT.url, ...env },
			cwd: folder.path,
		});
		child.stdin.end(input);
		const [stdout, stderr] = await Promise.all([
			text(child.stdout),
			text(child.stderr),
			once(child, "close"),
		]);
		return { status: child.exitCode, stdout, stderr };
	}

	function keyFile(text = KEYS.private_key_pem, mode = 0o600): string {
		const file = join(folder.path, `latchkey-${mode}.pem`);
		writeFileSync(file, text);
		chmodSync(file, mode);
		return file;
	}

	test("explain prints the string of a key if one is named, or if the file to compare has its first line", async () => {
		const [{ method, target, timestamp, nonce }] = VECTORS as [(typeof VECTORS)[number]];
		const [{ string_to_sign, signature }] = KEYS.vectors as [(typeof KEYS.vectors)[number]];
		const args = ["explain", "-X", method, "--timestamp", timestamp, "--nonce", nonce];
		// Not read: explain needs no key.
		const byKey = { ...CREDENTIALS, LK_PRIVATE_KEY_FILE: "missing.pem" };
		const { stdout } = await run([...args, target], byKey);
		const lines = stdout.split("\n").slice(1, 10);
		const text = lines.map((line) => line.slice(3)).join("\n");
		assert.equal(text, string_to_sign);
		const key = createPublicKey({ key: KEYS.public_key, format: "jwk" });
		assert.ok(verify(null, Buffer.from(text), key, Buffer.from(signature, "hex")));
		for (const env of [byKey, CREDENTIALS]) {
			const same = await run([...args, "--compare", "-", target], env, Buffer.from(string_to_sign));
			assert.match(
				same.stdout,
				/\nidentical: if the signature is refused, check the private key and the client\n/,
			);
		}
		const withSecret = { ...CREDENTIALS, LK_SECRET: KNOWN_CLIENT.secret };
		const other = await run([...args, "--compare", "-", target], withSecret, Buffer.from(string_to_sign));
		assert.match(other.stdout, /\ndiffers in line 1 \(algorithm\)\n/);
	});

	test("explain prints the string to sign of the known answers, and needs no Secret", async () => {
		for (const { method, target, timestamp, nonce, body_base64, string_to_sign } of VECTORS) {
			const body = Buffer.from(body_base64, "base64");
			const data = body.length === 0 ? [] : ["--data", "@-"];
			const { status, stdout } = await run(
				["explain", "-X", method, ...data, "--timestamp", timestamp, "--nonce", nonce, target],
				CREDENTIALS,
				body,
			);
			const numbered = string_to_sign.split("\n").map((line, index) => `${index + 1}  ${line}\n`);
			assert.deepEqual(
				[status, stdout],
				[0, `string to sign, 9 lines joined by LF, none after the last:\n${numbered.join("")}`],
			);
		}
	});

	test("explain --compare shows the first difference", async () => {
		const [{ method, target, timestamp, nonce, string_to_sign }] = VECTORS as [(typeof VECTORS)[number]];
		const compare = (given: string) =>
			run(
				["explain", "-X", method, "--timestamp", timestamp, "--nonce", nonce, "--compare", "-", target],
				CREDENTIALS,
				Buffer.from(given),
			);
		const compareAtAnotherTime = (given: string) =>
			run(["explain", "-X", method, "--compare", "-", target], CREDENTIALS, Buffer.from(given));
		const later = await compareAtAnotherTime(string_to_sign);
		assert.deepEqual([later.status, later.stdout.includes("\nidentical: ")], [0, true]);
		const ofAnotherBody = await compareAtAnotherTime(string_to_sign.replace(/\w{64}$/, "0".repeat(64)));
		assert.match(ofAnotherBody.stdout, /\ndiffers in line 9 \(SHA-256 of the body\)\n/);
		const inMilliseconds = await compareAtAnotherTime(string_to_sign.replace(timestamp, `${timestamp}000`));
		assert.match(inMilliseconds.stdout, /\ndiffers in line 7 \(X-Timestamp\)\n/);
		const same = await compare(string_to_sign);
		assert.deepEqual([same.status, same.stdout.includes("\nidentical: ")], [0, true]);
		for (const [given, place] of [
			[string_to_sign.replace("GET", "POST"), "line 2 (method)"],
			[string_to_sign.replaceAll("\n", "\r\n"), "line 1 (algorithm)"],
			[`${string_to_sign}\n`, "line 10 (after the last)"],
			["", "line 1 (algorithm)"],
		] as const) {
			const differs = await compare(given);
			assert.equal(differs.status, 1);
			assert.ok(differs.stdout.includes(`\ndiffers in ${place}\n`), differs.stdout);
		}
	});

	test("sign sends a signed request, prints the response, and fails for a refusal", async () => {
		const received: string[] = [];
		const server = createServer(async (request, response) => {
			received.push(
				`${request.method} ${request.url} ${await text(request)} ${request.headers["x-signature"]?.length}`,
			);
			response.writeHead(request.url === "/refused" ? 401 : 200).end("the response");
		}).listen(0, "127.0.0.1");
		try {
			await once(server, "listening");
			const address = server.address();
			assert.ok(address !== null && typeof address === "object");
			const LK_BASE_URL = `http://127.0.0.1:${address.port}`;
			const env = { ...CREDENTIALS, LK_BASE_URL, LK_SECRET: KNOWN_CLIENT.secret };
			const sent = await run(["sign", "--data", '{"a":1}', "/orders?x=%2F"], env);
			assert.deepEqual(sent, { status: 0, stdout: "the response\n", stderr: "HTTP 200\n" });
			assert.equal((await run(["sign", "/refused"], env)).status, 1);
			assert.deepEqual(received, ['POST /orders?x=%2F {"a":1} 64', "GET /refused  64"]);
			const byKey = { ...CREDENTIALS, LK_BASE_URL, LK_PRIVATE_KEY_FILE: keyFile() };
			assert.equal((await run(["sign", "/with-a-key"], byKey)).status, 0);
			assert.equal(received.at(-1), "GET /with-a-key  128");
		} finally {
			server.close();
		}
		const unreachable = await run(["sign", "/"], {
			...CREDENTIALS,
			LK_SECRET: KNOWN_CLIENT.secret,
			LK_BASE_URL: "http://127.0.0.1:1",
		});
		assert.equal(unreachable.status, 1);
		assert.doesNotMatch(unreachable.stderr, new RegExp(KNOWN_CLIENT.secret));
	});

	test("names what is wrong with a command", async () => {
		for (const [args, env, message] of [
			[[], CREDENTIALS, /^Usage: /],
			[["sign"], CREDENTIALS, /^Usage: /],
			[["sing", "/"], CREDENTIALS, /^Usage: /],
			[["sign", "/"], CREDENTIALS, /^set LK_SECRET, or LK_PRIVATE_KEY_FILE if the client has a key$/m],
			[["sign", "/"], { ...CREDENTIALS, LK_SECRET: "s", LK_PRIVATE_KEY_FILE: "f" }, /not both$/m],
			[["sign", "/"], { ...CREDENTIALS, LK_PRIVATE_KEY_FILE: "missing" }, /^cannot read missing: ENOENT/],
			[
				["sign", "/"],
				{ ...CREDENTIALS, LK_PRIVATE_KEY_FILE: keyFile(undefined, 0o640) },
				/is open to other users \(mode 0640\): close it with chmod 600$/m,
			],
			[["explain", "/"], {}, /^set LK_TENANT_ID$/m],
			[["explain", "--no-such", "/"], CREDENTIALS, /--no-such/],
			[["explain", "orders"], CREDENTIALS, /"orders" is neither a path nor a URL/],
			[["explain", "--data", "@missing", "/"], CREDENTIALS, /cannot read missing: ENOENT/],
		] as const) {
			const { status, stdout, stderr } = await run(args, env);
			assert.deepEqual([status, stdout], [2, ""]);
			assert.match(stderr, message);
		}
		const noKey = await run(["sign", "/"], { ...CREDENTIALS, LK_PRIVATE_KEY_FILE: keyFile("text") });
		assert.deepEqual([noKey.status, noKey.stderr], [1, "privateKey is not an Ed25519 key as PKCS#8 PEM\n"]);
		const help = await run(["--help"]);
		assert.deepEqual([help.status, help.stdout.startsWith("Usage: latchkey-sign")], [0, true]);
	});
});
