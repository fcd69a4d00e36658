import assert from "node:assert/strict";
import { execFile, execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { promisify } from "node:util";
import { addApiClient } from "../harness/applications.ts";
import { addPerson } from "../harness/people.ts";
import { type Credentials, startTestService, type TestService } from "../harness/service.ts";
import { readDocument, sections, tableRows } from "./document.ts";

const run = promisify(execFile);
const text = readDocument("docs/signing.md");
const vectors = JSON.parse(readFileSync(new URL("../vectors/signing-vectors.json", import.meta.url), "utf8"));

/** The first block of a language that holds `part`. */
function block(language: string, part: string): string {
	const blocks = [...text.matchAll(/^```(\w+)\n(.*?)^```$/gms)];
	const found = blocks.find(([, name, code]) => name === language && code?.includes(part));
	assert.ok(found?.[2] !== undefined, `docs/signing.md has no ${language} block with ${part}`);
	return found[2];
}

/** `false`, or why it is skipped; where `CI` is set a missing tool is a failure. */
function without(...tools: string[]): false | string {
	if (process.env.CI !== undefined) return false;
	for (const tool of tools) {
		try {
			execFileSync("which", [tool], { stdio: "ignore" });
		} catch {
			return `no ${tool} here`;
		}
	}
	return false;
}

describe("docs/signing.md", () => {
	let service: TestService;
	let folder: string;
	let client: Credentials & { id: string; name: string };
	let userId: string;
	let environment: NodeJS.ProcessEnv;

	before(async () => {
		service = await startTestService();
		folder = mkdtempSync(join(tmpdir(), "latchkey-signing-"));
		client = await addApiClient(service);
		userId = (await addPerson(service, "asked-about")).id;
		const certificate = join(service.dataDir, "tls-cert.pem");
		environment = {
			PATH: process.env.PATH,
			LK_URL: `https://localhost:${service.httpsPort}`,
			LK_TENANT_ID: client.tenant_id,
			LK_APP_ID: client.app_id,
			LK_API_KEY: client.api_key,
			LK_SECRET: client.secret,
			CURL_CA_BUNDLE: certificate,
			NODE_EXTRA_CA_CERTS: certificate,
			SSL_CERT_FILE: certificate,
		};
	});
	after(async () => {
		await service.stop();
		rmSync(folder, { recursive: true });
	});

	/** Runs a program of the document and answers what it printed. */
	async function printed(program: string, file: string, code: string): Promise<string> {
		const path = join(folder, file);
		writeFileSync(path, code);
		const { stdout } = await run(program, [path], { env: environment, timeout: 20_000 });
		return stdout;
	}

	it("has a shell function that works", { skip: without("bash", "curl", "openssl") }, async () => {
		const first = block("bash", "signed()");
		assert.equal(JSON.parse(await printed("bash", "get.sh", first)).data.client.id, client.id);
		const example = block("bash", "check-access");
		const second = first.replace(/^signed GET .*$/m, example).replace(/0190a5b0-[0-9a-f-]+/, userId);
		const { data } = JSON.parse(await printed("bash", "post.sh", second));
		assert.deepEqual([data.user_id, data.allowed, data.permission], [userId, false, "orders:read"]);
	});

	it("has a Node module that works", async () => {
		const code = block("js", "signed.mjs");
		assert.match(await printed(process.execPath, "signed.mjs", code), new RegExp(client.id));
		const call = `console.log(await signed("POST", "/api/v1/external/users/check-access", { user_id: "${userId}" }));`;
		const posting = code.replace(/^console\.log.*$/m, call);
		assert.match(await printed(process.execPath, "post.mjs", posting), /not_assigned/);
		const unknown = call.replace(userId, "nobody");
		await assert.rejects(
			printed(process.execPath, "refused.mjs", code.replace(/^console\.log.*$/m, unknown)),
			/400: user_id must be a UUID/,
		);
	});

	it("has a Python program that works", { skip: without("python3") }, async () => {
		const code = block("python", "signed.py");
		assert.match(await printed("python3", "signed.py", code), new RegExp(client.id));
		const call = `print(signed("POST", "/api/v1/external/users/check-access", {"user_id": "${userId}"}))`;
		assert.match(await printed("python3", "post.py", code.replace(/^print.*$/m, call)), /not_assigned/);
	});

	it("shows the first known answer, line by line", () => {
		const rows = tableRows(sections(text).get("What is signed") ?? "");
		const lines = rows.map((cells) => (cells[2] ?? "").replaceAll("`", ""));
		const [first] = vectors.vectors;
		assert.equal(lines.join("\n"), first.string_to_sign);
		assert.ok(text.includes(`\`${first.signature}\``));
		assert.ok(text.includes(`\`${vectors.client.secret}\``));
	});

	it("explains the refusals under their true status", async () => {
		const errors = sections(readDocument("docs/errors.md"));
		for (const [refusal = ""] of tableRows(sections(text).get("When it is refused") ?? "")) {
			const status = refusal.slice(0, 3);
			for (const [, code] of refusal.matchAll(/`([a-z_]+\.[a-z_]+)`/g))
				assert.ok(errors.get(status)?.includes(`| \`${code}\` |`), `${status} ${code}`);
		}
	});
});
