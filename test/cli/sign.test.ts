import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { describe, test } from "node:test";
import { promisify } from "node:util";
import { withSecret } from "../harness/access/applications.ts";
import { addKeyClient } from "../harness/access/partner-keys.ts";
import { type CommandOptions, runCommand } from "../harness/processes/command.ts";
import { type Exit, freePorts, runProgram } from "../harness/processes/program.ts";
import { skippedWithout } from "../harness/processes/server-process.ts";
import { fixture, setup, testService } from "../harness/runs/fixture.ts";
import { temporaryFolder } from "../harness/runs/folder.ts";
import type { Credentials } from "../harness/service/service.ts";

interface Vector {
	readonly id: string;
	readonly comment: string;
	readonly method: string;
	readonly target: string;
	readonly timestamp: string;
	readonly nonce: string;
	readonly body_base64: string;
	readonly string_to_sign: string;
	readonly signature: string;
}

const { client, vectors, ed25519 } = JSON.parse(
	readFileSync(new URL("../../docs/signing-vectors.json", import.meta.url), "utf8"),
) as {
	client: Credentials;
	vectors: readonly Vector[];
	ed25519: { private_key_pem: string; vectors: readonly Pick<Vector, "string_to_sign" | "signature">[] };
};

function variables(credentials: Credentials): Record<string, string> {
	return {
		LK_TENANT_ID: credentials.tenant_id,
		LK_APP_ID: credentials.app_id,
		LK_API_KEY: credentials.api_key,
		LK_SECRET: credentials.secret,
	};
}

const VECTOR_ENV = variables(client);
const { LK_SECRET: _secret, ...ENV_WITHOUT_PROOF } = VECTOR_ENV;
const URL_OF_NOBODY = "https://127.0.0.1:1/api/v1/external/whoami";

function sign(args: readonly string[], options: CommandOptions = {}): Promise<Exit> {
	return runCommand(["sign", ...args], { env: VECTOR_ENV, ...options });
}

describe("latchkey sign --print matches the test vectors", () => {
	const known = vectors.map((vector) => ({ ...vector, isKey: false }));
	const byKey = vectors.map((vector, index) => ({ ...vector, ...ed25519.vectors[index], isKey: true }));
	for (const { id, comment, isKey, ...vector } of [...known, ...byKey]) {
		test(`${id}${isKey ? ", with a key" : ""}: ${comment}`, async () => {
			using folder = temporaryFolder();
			let line = 0;
			const body = Buffer.from(vector.body_base64, "base64");
			const file = join(folder.path, "body");
			writeFileSync(file, body);
			const keyFile = join(folder.path, "latchkey.pem");
			writeFileSync(keyFile, ed25519.private_key_pem, { mode: 0o600 });
			const { code, stdout, stderr } = await sign([
				...(isKey ? ["--private-key", keyFile] : []),
				...["-X", vector.method.toLowerCase(), "--timestamp", vector.timestamp, "--nonce", vector.nonce],
				...(body.length === 0 ? [] : ["--data", `@${file}`]),
				...["--print", "--explain", `https://localhost:8443${vector.target}`],
			]);
			assert.equal(code, 0);
			const numbered = vector.string_to_sign.replace(/^/gm, () => `${++line}  `);
			assert.equal(stderr, `string to sign, 9 lines joined by LF, none after the last:\n${numbered}\n`);
			assert.ok(stdout.includes(`--header 'X-Signature: ${vector.signature}'`), stdout);
			assert.ok(stdout.startsWith(`curl --globoff --path-as-is --request ${vector.method} `));
			assert.ok(stdout.includes(`https://localhost:8443${vector.target}`));
			assert.doesNotMatch(stdout + stderr, new RegExp(client.secret));
		});
	}
});

describe("latchkey sign prints", () => {
	test("a body from standard input into the command, quoted for a shell", async () => {
		const body = `{"note":"it's $HOME"}`;
		const { stdout } = await sign(["--print", "-k", "-d", "@-", "https://localhost/a?b=[c]"], {
			input: body,
		});
		assert.ok(
			stdout.startsWith("curl --insecure --globoff --path-as-is --request POST 'https://localhost/a?b=[c]' "),
		);
		assert.ok(stdout.includes(`--data-binary '{"note":"it'\\''s $HOME"}'`), stdout);
		const { stdout: said } = await promisify(execFile)("sh", [
			"-c",
			`curl() { for a; do last=$a; done; printf %s "$last"; }; ${stdout}`,
		]);
		assert.equal(said, body);
	});

	test("no body that cannot be part of a command", async () => {
		const { code, stderr } = await sign(["--print", "-d", "@-", "https://localhost/a"], {
			input: Buffer.from([0x7b, 0xff, 0x7d]),
		});
		assert.deepEqual(
			[code, stderr],
			[2, "latchkey: this body cannot be printed; write it to a file and pass @file\n"],
		);
	});

	test("a Content-Digest, unless a request of this method has no body", async () => {
		const printed = async (...args: string[]) => (await sign(["--print", ...args, URL_OF_NOBODY])).stdout;
		const empty = "Content-Digest: sha-256=:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=:";
		for (const args of [
			["-X", "POST"],
			["-X", "PATCH"],
			["-X", "DELETE", "-d", ""],
		])
			assert.ok((await printed(...args)).includes(empty), args.join(" "));
		assert.match(await printed("-d", "{}"), /'Content-Digest: sha-256=:RBNvo1WzZ4oRRq0W9[^']+:'/);
		for (const args of [[], ["-X", "DELETE"]]) assert.doesNotMatch(await printed(...args), /Content-Digest/);
	});

	test("options instead of variables", async () => {
		const { stdout } = await sign(["--print", "--tenant", "t1", "--app", "a1", "--key", "k1", URL_OF_NOBODY]);
		for (const header of ["X-Tenant-ID: t1", "X-App-ID: a1", "X-API-Key: k1"])
			assert.ok(stdout.includes(`'${header}'`));
	});

	test("a path below LK_BASE_URL, with its query as typed", async () => {
		for (const base of ["https://auth.example.com:8443", "https://auth.example.com:8443/"]) {
			const env = { ...VECTOR_ENV, LK_BASE_URL: base };
			const { stdout } = await sign(["--print", "/api/v1/external/whoami?a=%2f"], { env });
			assert.match(stdout, / 'https:\/\/auth\.example\.com:8443\/api\/v1\/external\/whoami\?a=%2f' /);
		}
		const { stdout } = await sign(["--print", URL_OF_NOBODY], {
			env: { ...VECTOR_ENV, LK_BASE_URL: "https://auth.example.com" },
		});
		assert.ok(stdout.includes(URL_OF_NOBODY));
	});

	test("a generated nonce and timestamp", async () => {
		const earliest = Math.floor(Date.now() / 1_000);
		const first = await sign(["--print", URL_OF_NOBODY]);
		const second = await sign(["--print", URL_OF_NOBODY]);
		const nonce = /X-Nonce: ([A-Za-z0-9_-]{43})'/;
		assert.notEqual(nonce.exec(first.stdout)?.[1], nonce.exec(second.stdout)?.[1]);
		const timestamp = Number(/X-Timestamp: ([0-9]{10})'/.exec(first.stdout)?.[1]);
		assert.ok(timestamp >= earliest && timestamp <= Date.now() / 1_000, `${timestamp}`);
	});
});

describe("latchkey sign --explain", () => {
	const { LK_SECRET: _, ...withoutSecret } = VECTOR_ENV;
	const fixed = ["--timestamp", "1763625600", "--nonce", "a-nonce-to-explain", URL_OF_NOBODY];
	const explained = (nonce: string): string =>
		[
			"V1-HMAC-SHA256",
			"GET",
			"/api/v1/external/whoami",
			client.tenant_id,
			client.app_id,
			client.api_key,
			"1763625600",
			nonce,
			"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
		].join("\n");
	const own = explained("a-nonce-to-explain");

	test("numbers the lines, sends nothing, and needs no Secret", async () => {
		const { code, stdout, stderr } = await sign(["--explain", ...fixed], { env: withoutSecret });
		let line = 0;
		const numbered = own.replace(/^/gm, () => `${++line}  `);
		assert.deepEqual(
			[code, stdout, stderr],
			[0, `string to sign, 9 lines joined by LF, none after the last:\n${numbered}\n`, ""],
		);
	});

	test("finds the first line in which a file or standard input differs", async () => {
		using folder = temporaryFolder();
		const file = join(folder.path, "mine");
		const compare = async (text: string): Promise<[number | null, string]> => {
			writeFileSync(file, text);
			const { code, stdout } = await sign(["--explain", "--compare", file, ...fixed], { env: withoutSecret });
			return [code, stdout.split("\n\n")[1]?.replaceAll(file, "FILE") ?? ""];
		};
		assert.deepEqual(await compare(own), [
			0,
			"FILE is identical: if the signature is refused, check the Secret and the client\n",
		]);
		assert.deepEqual(await compare(explained("another-nonce-16")), [
			1,
			'FILE differs in line 8 (X-Nonce)\n  signed here  "a-nonce-to-explain"\n  in the file  "another-nonce-16"\n',
		]);
		assert.deepEqual(await compare(`${own}\n`), [
			1,
			'FILE differs in line 10: no line feed after the last line\n  signed here  no such line\n  in the file  ""\n',
		]);
		const piped = await sign(["--compare", "-", ...fixed], {
			env: withoutSecret,
			input: own.replaceAll("\n", "\r\n"),
		});
		assert.equal(piped.code, 1);
		assert.match(piped.stdout, /standard input differs in line 1 \(scheme\): lines are joined by LF alone/);
		assert.match(piped.stdout, /given {8}"V1-HMAC-SHA256\\r"/);
	});

	test("reports suspicious characters of the Secret without showing it", async () => {
		const { LK_SECRET: secret = "" } = VECTOR_ENV;
		for (const [given, said] of [
			[secret, ""],
			[`${secret}\n`, "LK_SECRET has spaces or line breaks around it, which are part of the key\n"],
			[` ${secret}`, "LK_SECRET has spaces or line breaks around it, which are part of the key\n"],
			[`"${secret}"`, "LK_SECRET has quotes around it, which are part of the key\n"],
			[secret.slice(3), "LK_SECRET does not begin with sk_: the key is the Secret as shown\n"],
		] as const) {
			const env = { ...withoutSecret, LK_SECRET: given };
			const { code, stdout, stderr } = await sign(["--explain", ...fixed], { env });
			assert.deepEqual([code, stderr], [0, said]);
			assert.ok(!stdout.includes(secret.slice(3)));
		}
	});

	test("compares the string of a key, which it knows by a variable or by the first line, and reads no key", async () => {
		const byKey = own.replace("V1-HMAC-SHA256", "V1-ED25519");
		const env = { ...withoutSecret, LK_PRIVATE_KEY_FILE: "/nowhere/latchkey.pem" };
		for (const given of [env, withoutSecret]) {
			const { code, stdout } = await sign(["--compare", "-", "--json", ...fixed], {
				env: given,
				input: byKey,
			});
			assert.equal(code, 0);
			assert.deepEqual(JSON.parse(stdout), {
				string_to_sign: byKey,
				same: true,
				report:
					"standard input is identical: if the signature is refused, check the private key and the client",
			});
		}
		const { code, stdout } = await sign(["--compare", "-", ...fixed], { input: byKey });
		assert.equal(code, 1);
		assert.match(
			stdout,
			/differs in line 1 \(scheme\): a Secret signs V1-HMAC-SHA256, and a key V1-ED25519$/m,
		);
	});

	test("names a file that cannot be read", async () => {
		const { code, stderr } = await sign(["--compare", "/nowhere/mine", ...fixed], { env: withoutSecret });
		assert.deepEqual([code, stderr], [3, "latchkey: /nowhere/mine cannot be read (ENOENT)\n"]);
	});
});

describe("latchkey sign refuses", () => {
	const cases: readonly (readonly [string, readonly string[], RegExp, Record<string, string>?])[] = [
		[
			"no Secret",
			[URL_OF_NOBODY],
			/set LK_SECRET to the Secret of the API client, or LK_PRIVATE_KEY_FILE to the file with/,
			{},
		],
		["no tenant", [URL_OF_NOBODY], /use --tenant or set LK_TENANT_ID/, { LK_SECRET: "s" }],
		["no application", ["--tenant", "t", URL_OF_NOBODY], /use --app or set LK_APP_ID/, { LK_SECRET: "s" }],
		[
			"no key",
			["--tenant", "t", "--app", "a", URL_OF_NOBODY],
			/use --key or set LK_API_KEY/,
			{ LK_SECRET: "s" },
		],
		["a relative URL", ["/api/v1/external/whoami"], /must be an absolute http\(s\) URL/],
		["a path without LK_BASE_URL", ["/api/v1/external/whoami"], /or a path with LK_BASE_URL set/],
		...["auth.example.com", "https://auth.example.com/base", "https://u@auth.example.com"].map(
			(base) =>
				[
					`the LK_BASE_URL ${base}`,
					["/api/v1/external/whoami"],
					/LK_BASE_URL is "\S+"; expected a URL like https:\/\/auth\.example\.com/,
					{ ...VECTOR_ENV, LK_BASE_URL: base },
				] as const,
		),
		["a URL without a path", ["https://localhost"], /must be an absolute http\(s\) URL with a path/],
		["a fragment", [`${URL_OF_NOBODY}#x`], /without a fragment/],
		["an invalid URL", ["https://[::1/x"], /must be an absolute http\(s\) URL/],
		["characters that a URL cannot contain", ["https://localhost/ä"], /must be percent-encoded/],
		["plain HTTP", ["http://localhost/x"], /open APIs require HTTPS; use an https:\/\/ URL/],
		["a short nonce", ["--nonce", "fifteen-letters", URL_OF_NOBODY], /--nonce must match/],
		["milliseconds", ["--timestamp", "1760000000000", URL_OF_NOBODY], /--timestamp must match/],
		["an invalid method", ["-X", "GET /", URL_OF_NOBODY], /--method must match/],
		[
			"a line break in a part",
			["--tenant", "a\nb", URL_OF_NOBODY],
			/cannot sign this request: tenantId must be visible ASCII/,
		],
		[
			"a missing file",
			["-d", "@/nowhere/body.json", URL_OF_NOBODY],
			/\/nowhere\/body\.json cannot be read \(ENOENT\)/,
		],
		[
			"a server that does not listen",
			[URL_OF_NOBODY],
			/https:\/\/127\.0\.0\.1:1 did not respond: connect ECONNREFUSED/,
		],
	];
	for (const [what, args, line, env] of cases) {
		test(`${what}, in one line`, async () => {
			const { code, stdout, stderr } = await sign(args, env === undefined ? {} : { env });
			assert.match(stderr, line);
			assert.match(stderr, /^latchkey: [^\n]+\n$/);
			assert.deepEqual(
				[code, stdout],
				[/cannot be read/.test(stderr) ? 3 : /did not respond/.test(stderr) ? 6 : 2, ""],
			);
		});
	}

	test("a private key that is missing, open to other users, or none, and two proofs", async () => {
		using folder = temporaryFolder();
		const file = join(folder.path, "latchkey.pem");
		const refused = async (args: readonly string[] = [], more: Record<string, string> = {}) => {
			const env = { ...ENV_WITHOUT_PROOF, LK_PRIVATE_KEY_FILE: file, ...more };
			const { code, stdout, stderr } = await sign([...args, URL_OF_NOBODY], { env });
			assert.equal(stdout, "");
			return `${code} ${stderr.replaceAll(file, "FILE")}`;
		};
		assert.equal(await refused(), "1 latchkey: FILE does not exist\n");
		writeFileSync(file, ed25519.private_key_pem, { mode: 0o644 });
		chmodSync(file, 0o644);
		assert.equal(
			await refused(),
			"1 latchkey: FILE is open to other users (mode 0644); close it with chmod 600\n",
		);
		chmodSync(file, 0o600);
		assert.equal(
			await refused([], { LK_SECRET: "sk_x" }),
			"2 latchkey: LK_SECRET and LK_PRIVATE_KEY_FILE exclude each other\n",
		);
		writeFileSync(file, "sk_x");
		const none = "2 latchkey: FILE is not an Ed25519 key as PEM without a passphrase\n";
		assert.equal(await refused(), none);
		assert.equal(await refused(["--private-key", file], { LK_SECRET: "sk_x" }), none);
	});

	test("a server without TLS", async () => {
		const [port = 0] = await freePorts(1);
		const server = createServer((socket) => socket.end("hello\r\n")).listen(port, "127.0.0.1");
		const { code, stderr } = await sign([`https://127.0.0.1:${port}/x`]);
		server.close();
		assert.match(
			stderr,
			/^latchkey: https:\/\/127\.0\.0\.1:\d+ did not respond: it does not speak TLS \(EPROTO\)\n$/,
		);
		assert.equal(code, 6);
	});
});

describe("latchkey sign sends", () => {
	const service = testService();
	let userId: string;
	const credentials = fixture(async () => {
		const token = await service.adminToken();
		const application = await service.call("POST", "/api/v1/applications", {
			token,
			body: { name: "Partner" },
		});
		const made = await service.call("POST", "/api/v1/api-clients", {
			token,
			body: { app_id: application.body.data.id, name: "Partner's server" },
		});
		return withSecret(made.body.data);
	});
	setup(async () => {
		userId = (
			await service.addUser({ username: "ada", email: "ada@people.example", password: "analytical engine" })
		).id;
	});

	const send = (path: string, ...args: string[]): Promise<Exit> =>
		sign(["--insecure", ...args, `${service.httpsUrl}/api/v1/external/${path}`], {
			env: variables(credentials),
		});

	test("a GET, and prints the response to standard output and its status to standard error", async () => {
		const { code, stdout, stderr } = await send("whoami?b=2&a=%2F");
		assert.deepEqual([code, stderr], [0, "HTTP 200\n"]);
		const { data } = JSON.parse(stdout);
		assert.equal(data.client.api_key, credentials.api_key);
		assert.equal(data.scheme, "https");
	});

	test("a GET signed with a key", async () => {
		using folder = temporaryFolder();
		const { privateKey, ...keyed } = await addKeyClient(service);
		const file = join(folder.path, "latchkey.pem");
		writeFileSync(file, privateKey.export({ format: "pem", type: "pkcs8" }), { mode: 0o600 });
		const url = `${service.httpsUrl}/api/v1/external/whoami`;
		const env = { ...variables(keyed), LK_PRIVATE_KEY_FILE: file };
		const { stdout, stderr } = await sign(["-k", "--json", url], { env });
		assert.equal(stderr, "HTTP 200\n");
		const { status, body } = JSON.parse(stdout);
		assert.deepEqual([status, JSON.parse(body).data.client.id], [200, keyed.id]);
	});

	test("a JSON body as an argument, from a file, and from standard input", async () => {
		using folder = temporaryFolder();
		const body = `{ "user_id": "${userId}" }\n`;
		const file = join(folder.path, "body.json");
		writeFileSync(file, body);
		const url = `${service.httpsUrl}/api/v1/external/users/check-access`;
		const env = variables(credentials);
		for (const [data, input] of [[body], [`@${file}`], ["@-", body]] as const) {
			const response = await sign(["-k", "-d", data, url], {
				env,
				...(input === undefined ? {} : { input }),
			});
			assert.equal(response.stderr, "HTTP 200\n");
			assert.equal(JSON.parse(response.stdout).data.user_id, userId);
		}
	});

	test("a refused request, and exits with 1", async () => {
		const nonce = "a-nonce-used-twice-000";
		assert.equal((await send("whoami", "--nonce", nonce)).code, 0);
		const replay = await send("whoami", "--nonce", nonce);
		assert.deepEqual([replay.code, replay.stderr], [1, "HTTP 401\n"]);
		assert.match(replay.stdout, /^\{"error":"[^"]+"\}\n$/);
		const missing = await send("users/00000000-0000-7000-8000-000000000000");
		assert.deepEqual([missing.code, missing.stderr], [1, "HTTP 404\n"]);
	});

	test("nothing to a server with an untrusted certificate, without --insecure", async () => {
		const url = `${service.httpsUrl}/api/v1/external/whoami`;
		const { code, stdout, stderr } = await sign([url], { env: variables(credentials) });
		assert.match(
			stderr,
			/^latchkey: \S+ did not respond: its certificate is self-signed; --insecure accepts it\n$/,
		);
		assert.deepEqual([code, stdout], [6, ""]);
	});

	test("to a server with a trusted certificate, by the name in it", async () => {
		const env = { ...variables(credentials), NODE_EXTRA_CA_CERTS: join(service.dataDir, "tls-cert.pem") };
		const url = `https://localhost:${service.httpsPort}/api/v1/external/whoami`;
		// Node reads the variable when a process starts.
		assert.equal((await runProgram(["sign", url], { env })).stderr, "HTTP 200\n");
	});

	test("the request of --print with curl", { skip: skippedWithout("curl") }, async () => {
		const url = `${service.httpsUrl}/api/v1/external/users/check-access`;
		const { stdout } = await sign(["--print", "-k", "-d", `{"user_id":"${userId}"}`, url], {
			env: variables(credentials),
		});
		const run = promisify(execFile);
		const { stdout: response } = await run("sh", ["-c", `${stdout.trimEnd()} --silent`]);
		assert.equal(JSON.parse(response).data.user_id, userId);
	});
});
