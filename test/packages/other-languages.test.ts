// The packages for Python and Go: their own tests, and random requests that all signers sign alike: 1,000,
// and with every repetition 10,000.

import assert from "node:assert/strict";
import { execFile, execFileSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { before, describe, test } from "node:test";
import { promisify } from "node:util";
import { permits } from "../../packages/client/src/permits.ts";
import { sign } from "../../packages/client/src/sign.ts";
import { programsIn } from "../../scripts/pages/guide-code.ts";
import { permits as permitsOfService } from "../../src/domain/access.ts";
import { atDepth } from "../harness/runs/depth.ts";
import { lastingFolder } from "../harness/runs/folder.ts";
import { KNOWN_CLIENT, PERMITS } from "./vectors.ts";

const run = promisify(execFile);
const ROOT = resolve(import.meta.dirname, "../..");
const KNOWN = join(ROOT, "docs/signing-vectors.json");
const PROGRAMS = programsIn(readFileSync(join(ROOT, "docs/signing.md"), "utf8"));
/** Debian's has httpx, and an installed one may have requests. */
const PYTHONS = ["/usr/bin/python3", "python3"];
const REQUESTS = atDepth({ quick: 1_000, all: 1_000, long: 10_000 });
const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];
const TARGET_PARTS = [
	"a",
	"Z",
	"0",
	"-",
	".",
	"_",
	"~",
	"/",
	"%2F",
	"%2f",
	"%c3%bc",
	"%",
	"+",
	"?",
	"&",
	"=",
	"=&",
];
const MORE_TARGET_PARTS = [
	"a=1",
	"b=%20c",
	"[]",
	"'",
	"!",
	"*",
	"(",
	")",
	"@",
	":",
	",",
	";",
	"$",
	"|",
	"^",
	"{}",
];

interface Case {
	readonly id: string;
	readonly method: string;
	readonly target: string;
	readonly timestamp: string;
	readonly nonce: string;
	readonly body_base64: string;
}

/** `false`, or the reason to skip. With `CI` set, a missing tool is a failure. */
function without(tool: string, ...arguments_: string[]): false | string {
	if (process.env.CI !== undefined) return false;
	try {
		execFileSync(tool, arguments_, { stdio: "ignore" });
		return false;
	} catch {
		return `no ${tool} here`;
	}
}

async function runPython(python: string, vectors: string, ...names: string[]): Promise<string> {
	const env = { ...process.env, LATCHKEY_VECTORS: vectors, PYTHONDONTWRITEBYTECODE: "1" };
	const { stderr } = await run(python, ["-m", "unittest", ...names], {
		cwd: join(ROOT, "packages/python"),
		env,
	});
	return stderr;
}

async function runGo(vectors: string, names: string): Promise<void> {
	await run("go", ["test", "-count=1", "-run", names, "./..."], {
		cwd: join(ROOT, "packages/go"),
		env: { ...process.env, LATCHKEY_VECTORS: vectors },
	});
}

for (const python of PYTHONS)
	test(`the package for Python passes its tests with ${python}`, {
		skip: without(python, "--version"),
	}, async () => {
		assert.match(await runPython(python, KNOWN, "test_latchkey", "test_gate"), /^OK/m);
	});

test("the package for Go passes its tests", { skip: without("go", "version") }, () => runGo(KNOWN, "Test"));

test("the known answers of permits are those of the service", () => {
	for (const { held, needed, permitted } of PERMITS)
		assert.equal(
			held.some((pattern) => permitsOfService(pattern, needed)),
			permitted,
			`${held} ${needed}`,
		);
	assert.equal(permits([], "orders:read"), false);
});

describe(`${REQUESTS} random requests`, () => {
	const folder = lastingFolder();
	const file = join(folder, "requests.json");
	let cases: readonly Case[];
	let signatures: readonly string[];
	before(async () => {
		cases = Array.from({ length: REQUESTS }, (_, index) => randomCase(index));
		signatures = await Promise.all(
			cases.map(async ({ method, target, timestamp, nonce, body_base64 }) => {
				const body = new Uint8Array(Buffer.from(body_base64, "base64"));
				const options = { now: () => Number(timestamp) * 1000, nonce: () => nonce };
				return (await sign(KNOWN_CLIENT, method, target, body, options))["x-signature"] ?? "";
			}),
		);
		const { client, permits } = JSON.parse(readFileSync(KNOWN, "utf8"));
		const vectors = cases.map((one, index) => ({ ...one, signature: signatures[index] }));
		writeFileSync(file, JSON.stringify({ client, permits, vectors }));
	});

	test("include odd targets, and empty and binary bodies", () => {
		const distinct = new Set(signatures);
		assert.equal(distinct.size, REQUESTS);
		assert.ok(cases.filter(({ body_base64 }) => body_base64 === "").length > REQUESTS / 10);
		assert.ok(cases.filter(({ target }) => /%(?![0-9a-f]{2})/i.test(target)).length > REQUESTS / 10);
	});

	test("are signed alike by the package for Python", { skip: without("python3", "--version") }, async () => {
		assert.match(await runPython("python3", file, "test_latchkey.KnownAnswers.test_signatures"), /^OK/m);
	});

	test("are signed alike by the package for Go", { skip: without("go", "version") }, () =>
		runGo(file, "TestKnownAnswers"),
	);

	test("are signed alike by the JavaScript of the guide", async () => {
		const code = replaced(PROGRAMS.js?.code ?? assert.fail("no program in JavaScript"), [
			["JSON.stringify(data)", "data"],
			["Date.now()", "signed.now"],
			["randomUUID()", "signed.nonce"],
			["await fetch(url,", "signed.send(url,"],
			["const text = await response.text();", "return response;"],
			['console.log(await signed("GET", "/api/v1/external/whoami"));', ""],
			["process.env", JSON.stringify(environment())],
		]);
		const { signed } = await import(`data:text/javascript,${encodeURIComponent(code)}`);
		signed.send = (_: URL, { headers }: { headers: Record<string, string> }) => headers["X-Signature"];
		const found: string[] = [];
		for (const { method, target, timestamp, nonce, body_base64 } of cases) {
			Object.assign(signed, { now: Number(timestamp) * 1000, nonce });
			found.push(await signed(method, target, Buffer.from(body_base64, "base64")));
		}
		assert.deepEqual(found, signatures);
	});

	test("are signed alike by the Python of the guide", { skip: without("python3", "--version") }, async () => {
		const code = replaced(PROGRAMS.python?.code ?? assert.fail("no program in Python"), [
			["json.dumps(data).encode()", "data"],
			["int(time.time())", "one['timestamp']"],
			["secrets.token_urlsafe(16)", "one['nonce']"],
			['print(signed("GET", "/api/v1/external/whoami"))', ""],
			["    request = urllib", "    return signature\n    request = urllib"],
		]);
		const program = join(folder, "guide.py");
		const loop = [
			"import base64, sys",
			"for one in json.load(open(sys.argv[1]))['vectors']:",
			"    print(signed(one['method'], one['target'], base64.b64decode(one['body_base64'])))",
		];
		writeFileSync(program, `${code}\n${loop.join("\n")}\n`);
		const { stdout } = await run("python3", [program, file], {
			env: { ...process.env, ...environment() },
			maxBuffer: 2 ** 24,
		});
		assert.deepEqual(stdout.trim().split("\n"), signatures);
	});
});

/** Replaces each text, which the program must contain. */
function replaced(code: string, changes: readonly (readonly [string, string])[]): string {
	return changes.reduce((text, [from, to]) => {
		assert.ok(text.includes(from), from);
		return text.replace(from, to);
	}, code);
}

function environment(): Record<string, string> {
	const { url, tenantId, appId, apiKey, secret } = KNOWN_CLIENT;
	return {
		LK_BASE_URL: url,
		LK_TENANT_ID: tenantId,
		LK_APP_ID: appId,
		LK_API_KEY: apiKey,
		LK_SECRET: secret,
	};
}

/** With a target that every HTTP library sends as it is. */
function randomCase(index: number): Case {
	const parts = [...TARGET_PARTS, ...MORE_TARGET_PARTS];
	const text = Array.from({ length: random(12) }, () => parts[random(parts.length)]).join("");
	const { pathname, search } = new URL(`/p${text}`, KNOWN_CLIENT.url);
	const bytes = Array.from({ length: Math.max(0, random(48) - 12) }, () => random(256));
	return {
		id: `R${index}`,
		method: METHODS[random(METHODS.length)] ?? "GET",
		target: pathname + search,
		timestamp: String(1_700_000_000 + random(100_000_000)),
		nonce: randomUUID(),
		body_base64: Buffer.from(bytes).toString("base64"),
	};
}

function random(below: number): number {
	return Math.floor(Math.random() * below);
}
