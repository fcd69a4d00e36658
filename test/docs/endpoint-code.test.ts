// The programs that `/docs` shows for each endpoint: every endpoint has them, and they run.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { promisify } from "node:util";
import { type Api, apiOf } from "../../pages/docs/api.ts";
import { callOf, initialValues, type Values } from "../../pages/docs/call.ts";
import { codeOf } from "../../pages/docs/code.ts";
import { setup, testService } from "../harness/runs/fixture.ts";
import { lastingFolder } from "../harness/runs/folder.ts";
import { describeApi } from "./openapi-document.ts";

const run = promisify(execFile);
/** Characters that a shell, JavaScript, or Python must quote. */
const NAME = `it's "quoted" $HOME \${x} true \\ 名`;

describe("the code of an endpoint in /docs", () => {
	let api: Api;
	const folder = lastingFolder();
	const service = testService();
	setup(async () => {
		api = apiOf((await describeApi()) as Parameters<typeof apiOf>[0]);
	});

	const codeFor = (id: string, values?: Values) => {
		const operation = api.operations.get(id);
		assert.ok(operation !== undefined, id);
		const call = callOf(api, operation, values ?? initialValues(api, operation), { isForCode: true });
		return codeOf(call, {
			baseUrl: `https://localhost:${service.httpsPort}`,
			security: operation.schemes.includes("bearer") ? "bearer" : "none",
			hasResponse: operation.successes.some(({ json }) => json !== undefined),
			signedNote: "",
		});
	};

	const print = async (language: string, code: string): Promise<string> => {
		const certificate = join(service.dataDir, "tls-cert.pem");
		const env = {
			PATH: process.env.PATH,
			TOKEN: await service.adminToken(),
			CURL_CA_BUNDLE: certificate,
			NODE_EXTRA_CA_CERTS: certificate,
			SSL_CERT_FILE: certificate,
		};
		const [program, file] = {
			curl: ["sh", "call.sh"],
			js: ["node", "call.mjs"],
			python: ["python3", "call.py"],
		}[language] as [string, string];
		writeFileSync(join(folder, file), code);
		return (await run(program, [join(folder, file)], { env, timeout: 20_000 })).stdout;
	};

	for (const language of ["curl", "js", "python"])
		it(`changes and reads with a token: ${language}`, async () => {
			const display_name = `${NAME} ${language}`;
			const { id } = await service.addUser({
				username: `code-${language}`,
				email: `${language}@code.example`,
				password: "correct horse battery",
			});
			const change = codeFor("updateUser", { "path.id": id, body: JSON.stringify({ display_name }) });
			await print(language, change.find(({ key }) => key === language)?.code ?? "");
			const read = codeFor("listUsers", { "query.q": `true \\ 名 ${language}`, "query.page_size": "5" });
			const printed = await print(language, read.find(({ key }) => key === language)?.code ?? "");
			assert.ok(printed.includes(id), printed);
			const { body } = await service.call("GET", `/api/v1/users/${id}`, {
				token: await service.adminToken(),
			});
			assert.equal(body.data.display_name, display_name);
		});

	it("exists for every endpoint, with a complete path", () => {
		assert.ok(api.operations.size > 100);
		for (const { id } of api.operations.values())
			for (const { code } of codeFor(id)) assert.doesNotMatch(code, /\/\{\w+\}|undefined|\[object/, id);
	});
});
