// The OpenAPI document with other tools: linters and a type generator.

import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { createConfig, lintFromString } from "@redocly/openapi-core";
import generateTypes, { astToString, type OpenAPI3 } from "openapi-typescript";
import ts from "typescript";
import { lintApi } from "../../scripts/lint-api.ts";
import tsconfig from "../../tsconfig.json" with { type: "json" };
import { fixture } from "../harness/runs/fixture.ts";
import { describeApi } from "./openapi-document.ts";

/**
 * Accepted findings of Redocly. Paths such as `/users/me/sessions/{id}` and `/users/{id}/sessions/revoke` each have a
 * fixed segment, which takes precedence; `me` is not an id.
 */
const KNOWN_FINDINGS = ["no-ambiguous-paths"];

const document = fixture(() => describeApi());

describe("openapi.json", () => {
	it("passes the recommended rules of Redocly, except those listed here", async () => {
		const config = await createConfig({ extends: ["recommended"] });
		const findings = await lintFromString({
			source: JSON.stringify(document),
			absoluteRef: "/openapi.json",
			config,
		});
		assert.deepEqual([...new Set(findings.map(({ ruleId }) => ruleId))], KNOWN_FINDINGS);
	});

	it("passes the OWASP rules of Spectral, except those that scripts/api-lint-rules.ts explains", async () => {
		assert.deepEqual(await lintApi(), []);
	});

	it("generates types that compile under the options of this repository", async (t) => {
		const types = astToString(
			await generateTypes(structuredClone(document) as unknown as OpenAPI3, { silent: true }),
		);
		const folder = mkdtempSync(join(tmpdir(), "latchkey-types-"));
		t.after(() => rmSync(folder, { recursive: true }));
		const file = join(folder, "api.ts");
		writeFileSync(file, `${types}\nexport type Tokens = operations["login"]["responses"][200];\n`);
		assert.deepEqual(compile(file), []);
	});
});

/** The messages of the compiler, which also checks libraries. */
function compile(file: string): string[] {
	const root = fileURLToPath(new URL("../../", import.meta.url));
	const { options } = ts.convertCompilerOptionsFromJson(tsconfig.compilerOptions, root);
	const program = ts.createProgram([file], { ...options, types: [], skipLibCheck: false });
	return ts
		.getPreEmitDiagnostics(program)
		.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, "\n"));
}
