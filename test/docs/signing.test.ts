import assert from "node:assert/strict";
import { execFile, execFileSync } from "node:child_process";
import { globSync, mkdtempSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { promisify } from "node:util";
import { LANGUAGES } from "../../pages/claim/languages.ts";
import { programsIn } from "../../scripts/pages/guide-code.ts";
import { addApiClient } from "../harness/access/applications.ts";
import { addKeyClient } from "../harness/access/partner-keys.ts";
import { addPerson } from "../harness/people/people.ts";
import { fixture, testService } from "../harness/runs/fixture.ts";
import { lastingFolder } from "../harness/runs/folder.ts";
import { readDocument, sections, tableRows } from "./document.ts";

const run = promisify(execFile);
const text = readDocument("docs/signing.md");
const vectors = JSON.parse(readFileSync(new URL("../../docs/signing-vectors.json", import.meta.url), "utf8"));

/** The first code block of the language that contains `part`. */
function block(language: string, part: string): string {
	const blocks = [...text.matchAll(/^```(\w+)\n(.*?)^```$/gms)];
	const found = blocks.find(([, name, code]) => name === language && code?.includes(part));
	assert.ok(found?.[2] !== undefined, `docs/signing.md has no ${language} block with ${part}`);
	return found[2];
}

/** `false`, or the reason to skip. With `CI` set, a missing tool is a failure. */
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
	const folder = lastingFolder();
	const service = testService();
	const client = fixture(() => addApiClient(service));
	const keyClient = fixture(() => addKeyClient(service));
	const person = fixture(() => addPerson(service, "asked-about"));
	const environment = fixture((): NodeJS.ProcessEnv => {
		const certificate = join(service.dataDir, "tls-cert.pem");
		return {
			PATH: process.env.PATH,
			LK_BASE_URL: `https://localhost:${service.httpsPort}`,
			LK_TENANT_ID: client.tenant_id,
			LK_APP_ID: client.app_id,
			LK_API_KEY: client.api_key,
			LK_SECRET: client.secret,
			CURL_CA_BUNDLE: certificate,
			NODE_EXTRA_CA_CERTS: certificate,
			SSL_CERT_FILE: certificate,
			GOCACHE: join(folder, "go"),
			...trustOfJava(certificate),
		};
	});
	const keyEnvironment = fixture((): NodeJS.ProcessEnv => {
		const file = join(folder, "latchkey.pem");
		writeFileSync(file, keyClient.privateKey.export({ format: "pem", type: "pkcs8" }), { mode: 0o600 });
		const { LK_SECRET: _, ...others } = environment;
		return {
			...others,
			LK_APP_ID: keyClient.app_id,
			LK_API_KEY: keyClient.api_key,
			LK_PRIVATE_KEY_FILE: file,
		};
	});

	/** Java requires a trust store. */
	function trustOfJava(certificate: string): NodeJS.ProcessEnv {
		if (without("keytool") !== false) return {};
		const store = join(folder, "trusted.p12");
		const into = ["-keystore", store, "-storepass", "changeit", "-noprompt"];
		execFileSync("keytool", ["-importcert", "-file", certificate, ...into], { stdio: "ignore" });
		return {
			// Short programs gain nothing from the optimizing compiler.
			JDK_JAVA_OPTIONS: `-XX:TieredStopAtLevel=1 -Djavax.net.ssl.trustStore=${store} -Djavax.net.ssl.trustStorePassword=changeit`,
		};
	}

	/** Runs a program of the document. @returns its output */
	async function printed(
		program: string,
		file: string,
		code: string,
		before: readonly string[] = [],
		env = environment,
	): Promise<string> {
		const path = join(folder, file);
		writeFileSync(path, code);
		const { stdout } = await run(program, [...before, path], { env, timeout: 60_000 });
		return stdout;
	}

	/** With a body, and with the changes that the document shows for a key. */
	async function postWithKey(language: string, program: string, show: RegExp, post: string): Promise<string> {
		const { code } = programsIn(text, "key")[language] ?? assert.fail(`no program in ${language}`);
		assert.ok(code.includes("V1-ED25519") && !code.includes("LK_SECRET"), code);
		const file = language === "java" ? "Signed.java" : `with-key.${language === "js" ? "mjs" : language}`;
		const before = language === "go" ? ["run"] : [];
		assert.match(await printed(program, file, code, before, keyEnvironment), new RegExp(keyClient.id));
		assert.match(code, show);
		return await printed(
			program,
			file,
			code.replace(show, () => post),
			before,
			keyEnvironment,
		);
	}

	it("shows how to create a key, and print its public half", { skip: without("openssl") }, async () => {
		const own = mkdtempSync(join(folder, "key-"));
		const path = `${join(process.execPath, "..")}:${process.env.PATH}`;
		const show = 'echo "$LK_PRIVATE_KEY_FILE" "$(printenv LK_SECRET || echo none)"';
		const script = `${block("sh", "genpkey")}${show}`;
		const env = { PATH: path, LK_SECRET: "sk_old" };
		const { stdout } = await run("sh", ["-e", "-c", script], { cwd: own, env });
		const [jwk = "", shown] = stdout.trim().split("\n");
		assert.equal(shown, `${join(own, "latchkey.pem")} none`);
		assert.equal(statSync(join(own, "latchkey.pem")).mode & 0o777, 0o600);
		const body = { public_key: JSON.parse(jwk) };
		const added = await service.signed(await addApiClient(service), "POST", "/api/v1/external/keys", {
			body,
		});
		assert.equal(added.status, 201, JSON.stringify(added.body));
	});

	it("shows how to trust a self-signed certificate", { skip: without("openssl", "curl") }, async () => {
		const { PATH, LK_BASE_URL = "" } = environment;
		const commands = block("sh", "s_client").replaceAll("auth.example.com:443", new URL(LK_BASE_URL).host);
		const calls = [
			'curl --fail --silent --show-error --output health.json "$LK_BASE_URL/health"',
			`"${process.execPath}" -e 'fetch(process.env.LK_BASE_URL + "/health").then(({ status }) => console.log(status))'`,
		];
		const script = [commands, ...calls].join("\n");
		const { stdout } = await run("sh", ["-e", "-c", script], { cwd: folder, env: { PATH, LK_BASE_URL } });
		const shown = ["x509", "-noout", "-fingerprint", "-sha256", "-in", join(service.dataDir, "tls-cert.pem")];
		assert.equal(stdout, `${execFileSync("openssl", shown, { encoding: "utf8" })}200\n`);
	});

	for (const shell of ["bash", "zsh", "dash"]) {
		it(`has a shell function that works in ${shell}`, {
			skip: without(shell, "curl", "openssl"),
		}, async () => {
			const first = block("sh", "signed()");
			assert.equal(JSON.parse(await printed(shell, "get.sh", first)).data.client.id, client.id);
			const example = block("sh", "check-access");
			const second = first
				.replace(/^signed GET .*$/m, example)
				.replace(/"00000000-0000-7000-[0-9a-f-]+"/, `"${person.id}"`);
			const { data } = JSON.parse(await printed(shell, "post.sh", second));
			assert.deepEqual([data.user_id, data.allowed, data.permission], [person.id, false, "orders:read"]);
			const posted = await postWithKey("sh", shell, /^signed GET .*$/m, example);
			assert.equal(JSON.parse(posted).data.permission, "orders:read");
			const refused = first.replace("/whoami", "/users/none");
			assert.equal(JSON.parse(await printed(shell, "refused.sh", refused)).code, "user.not_found");
		});

		it(`can be pasted into ${shell}`, { skip: without(shell, "curl", "openssl") }, async () => {
			const pasted = `${block("sh", "export LK_BASE_URL").replaceAll(/=.*$/gm, "")}${block("sh", "signed()")}`;
			const bare = { bash: ["--norc"], zsh: ["-f"], dash: [] }[shell] ?? [];
			const typed = run(shell, [...bare, "-i"], { env: environment, timeout: 20_000 });
			typed.child.stdin?.end(`PS1= PS2=\n${pasted}exit\n`);
			const { stdout } = await typed;
			assert.equal(JSON.parse(stdout.slice(stdout.indexOf("{"))).data.client.id, client.id, stdout);
		});
	}

	it("has a Node module that works", async () => {
		const code = block("js", "signed.mjs");
		assert.match(await printed(process.execPath, "signed.mjs", code), new RegExp(client.id));
		const call = `console.log(await signed("POST", "/api/v1/external/users/check-access", { user_id: "${person.id}" }));`;
		const posting = code.replace(/^console\.log.*$/m, call);
		assert.match(await printed(process.execPath, "post.mjs", posting), /not_assigned/);
		assert.match(await postWithKey("js", process.execPath, /^console\.log.*$/m, call), /not_assigned/);
		const unknown = call.replace(person.id, "nobody");
		await assert.rejects(
			printed(process.execPath, "refused.mjs", code.replace(/^console\.log.*$/m, unknown)),
			/400 \{[^\n]*"user_id must be a UUID","code":"request\.invalid"/,
		);
	});

	it("has a Python program that works", { skip: without("python3") }, async () => {
		const code = block("python", "signed.py");
		assert.match(await printed("python3", "signed.py", code), new RegExp(client.id));
		const call = `print(signed("POST", "/api/v1/external/users/check-access", {"user_id": "${person.id}"}))`;
		assert.match(await printed("python3", "post.py", code.replace(/^print.*$/m, call)), /not_assigned/);
		assert.match(await postWithKey("python", "python3", /^print.*$/m, call), /not_assigned/);
		const unknown = call.replace(person.id, "nobody");
		await assert.rejects(
			printed("python3", "refused.py", code.replace(/^print.*$/m, unknown)),
			/^400 \{[^\n]*"user_id must be a UUID","code":"request\.invalid"/m,
		);
	});

	/** `show` is the call in the program, and `post` replaces it. */
	for (const { language, tool, file, show, post } of [
		{
			language: "go",
			tool: "go",
			file: "signed.go",
			show: /signed\("GET", "\/api\/v1\/external\/whoami", nil\)/,
			post: (target: string, id: string) =>
				`signed("POST", "${target}", map[string]string{"user_id": "${id}"})`,
		},
		{
			language: "java",
			tool: "java",
			file: "Signed.java",
			show: /signed\("GET", "\/api\/v1\/external\/whoami", null\)/,
			post: (target: string, id: string) => `signed("POST", "${target}", "{\\"user_id\\":\\"${id}\\"}")`,
		},
		{
			language: "php",
			tool: "php",
			file: "signed.php",
			show: /signed\('GET', '\/api\/v1\/external\/whoami'\)/,
			post: (target: string, id: string) => `signed('POST', '${target}', ['user_id' => '${id}'])`,
		},
		{
			language: "ruby",
			tool: "ruby",
			file: "signed.rb",
			show: /signed\("GET", "\/api\/v1\/external\/whoami"\)/,
			post: (target: string, id: string) => `signed("POST", "${target}", { user_id: "${id}" })`,
		},
	])
		it(`has a program in ${language} that works`, { skip: without(tool) }, async () => {
			const code = programsIn(text)[language]?.code ?? assert.fail(`no program in ${language}`);
			const start = (source: string) => printed(tool, file, source, tool === "go" ? ["run"] : []);
			assert.match(await start(code), new RegExp(client.id));
			const target = "/api/v1/external/users/check-access";
			assert.match(await postWithKey(language, tool, show, post(target, person.id)), /not_assigned/);
			// The body is parsed only after the signature is verified.
			const refusal: unknown = await start(code.replace(show, post(target, "nobody"))).then(
				() => assert.fail("nothing was refused"),
				(error: unknown) => error,
			);
			const { stdout, stderr } = refusal as { stdout: string; stderr: string };
			assert.match(stdout + stderr, /400 \{[^\n]*"user_id must be a UUID","code":"request\.invalid"/);
		});

	it("has a program for every language of the claim page, which names its file", () => {
		const programs = programsIn(text);
		assert.deepEqual(
			LANGUAGES.map(({ key }) => key),
			Object.keys(programs),
		);
		for (const { key, file } of LANGUAGES) {
			const { code = "" } = programs[key] ?? {};
			if (file !== undefined) assert.match(code.split("\n")[0] ?? "", new RegExp(`\\b${file}\\b`));
		}
		const withKey = programsIn(text, "key");
		assert.deepEqual(Object.keys(withKey), Object.keys(programs));
		for (const [language, { code }] of Object.entries(withKey)) {
			assert.match(code, /LK_PRIVATE_KEY_FILE/, language);
			assert.doesNotMatch(code, /LK_SECRET|HMAC/i, language);
		}
	});

	it("signs the nine lines in order in C#, which no test runs", () => {
		const names = ["V1-HMAC-SHA256", "method", "uri.PathAndQuery", "LK_TENANT_ID", "LK_APP_ID", "LK_API_KEY"];
		const order = new RegExp(
			[...names, "timestamp", "nonce", "ComputeHash\\(body\\)"].join("[^;]*,\\s*[^;]*"),
		);
		assert.match(programsIn(text).csharp?.code ?? assert.fail("no program in C#"), order);
	});

	it("uses one variable name for the URL of the service in documents, samples, and pages", () => {
		const root = new URL("../../", import.meta.url);
		const texts = globSync(["README.md", "docs/**/*.md", "src/pages/*", "src/cli/*.ts", "test/tour/*.ts"], {
			cwd: root,
		}).map((file) => [file, readFileSync(new URL(file, root), "utf8")] as const);
		assert.ok(texts.length > 50);
		const otherName = /\b(?:LK|LATCHKEY)_URL\b|\bLATCHKEY_BASE_URL\b|\$\{?(?:BASE|URL|BASE_URL)\b/;
		for (const [file, content] of texts) assert.doesNotMatch(content, otherName, file);
	});

	it("shows the first known answer, line by line", () => {
		const rows = tableRows(sections(text).get("What is signed") ?? "");
		const lines = rows.map((cells) => (cells[2] ?? "").replaceAll("`", ""));
		const [first] = vectors.vectors;
		assert.equal(lines.join("\n"), first.string_to_sign);
		assert.ok(text.includes(`\`${first.signature}\``));
		assert.ok(text.includes(`\`${vectors.client.secret}\``));
	});

	it("explains each error under its actual status", async () => {
		const errors = sections(readDocument("docs/errors.md"));
		for (const [refusal = ""] of tableRows(sections(text).get("When it is refused") ?? "")) {
			const status = refusal.slice(0, 3);
			for (const [, code] of refusal.matchAll(/`([a-z_]+\.[a-z_]+)`/g))
				assert.ok(errors.get(status)?.includes(`| \`${code}\` |`), `${status} ${code}`);
		}
	});

	it("agrees with other documents on which errors consume the nonce", () => {
		const rows = tableRows(sections(text).get("When it is refused") ?? "");
		const codes = (cell = "") => [...cell.matchAll(/`([a-z_]+\.[a-z_]+)`/g)].map(([, code]) => code);
		const nonce = new Map(rows.flatMap(([refusal, used]) => codes(refusal).map((code) => [code, used])));
		// As signed-order.test.ts proves them over the wire, and what is decided before a route's guard.
		for (const code of ["transport.https_required", "request.target_form", "request.body_not_allowed"])
			assert.equal(nonce.get(code), "kept", code);
		for (const code of ["signature.headers", "signature.timestamp", "request.too_large", "signature.invalid"])
			assert.equal(nonce.get(code), "kept", code);
		for (const code of ["ip.not_allowed", "route.not_found", "route.method_not_allowed"])
			assert.equal(nonce.get(code), "kept", code);
		for (const code of [
			"scope.missing",
			"request.content_encoding",
			"request.content_type",
			"request.invalid",
			"request.malformed",
		])
			assert.equal(nonce.get(code), "used", code);
		assert.equal(nonce.get("user.not_found"), "used");

		const errors = readDocument("docs/errors.md");
		assert.match(errors, /\| `ip\.not_allowed` \|.* The nonce is not used up\. \|/);
		assert.match(errors, /\| `scope\.missing` \|.* The nonce is used up\. \|/);
	});
});
