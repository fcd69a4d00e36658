// Every prefix of a credential is declared in one place, from which gates with `own_tokens` take theirs.

import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { holdsTokenOf } from "../../src/features/partners/gate/own-tokens.ts";
import { CREDENTIAL_PREFIX } from "../../src/kernel/credential-prefix.ts";

const ROOT = new URL("../../", import.meta.url);
const DECLARED = "src/kernel/credential-prefix.ts";
/** A text that ends with `_`, or that a value follows; `mail_` begins the name of a metric. */
const PREFIX = /["'`](?!mail_)([a-z]{2,5}_)(?:["'`]|\$\{)/g;

function prefixesIn(text: string): string[] {
	return [...text.matchAll(PREFIX)].map(([, prefix = ""]) => prefix);
}

test("credential-prefix.ts declares every prefix of a credential", () => {
	assert.deepEqual(prefixesIn(['const NEW = "lxy_";', "`lz_$", "{randomToken()}`"].join("")), [
		"lxy_",
		"lz_",
	]);
	const found = globSync("src/**/*.ts", { cwd: ROOT })
		.filter((path) => path !== DECLARED && !path.endsWith(".test.ts"))
		.flatMap((path) =>
			prefixesIn(readFileSync(new URL(path, ROOT), "utf8").replaceAll(/\/\/.*|^\s*\/?\*.*/gm, "")).map(
				(prefix) => `${path}: ${prefix}`,
			),
		);
	assert.deepEqual(found, []);
});

test("a gate with own_tokens refuses credentials with every prefix", () => {
	const prefixes = Object.values(CREDENTIAL_PREFIX);
	assert.deepEqual(prefixes, [...new Set(prefixes)]);
	for (const prefix of prefixes) {
		const basic = Buffer.from(`git:${prefix}0123456789`).toString("base64");
		for (const authorization of [
			`Bearer ${prefix}0123456789`,
			`Bearer\t${prefix}0123456789`,
			`token ${prefix}0123456789`,
			`Basic ${basic}`,
		])
			assert.ok(holdsTokenOf("https://auth.example", authorization), authorization);
	}
	assert.equal(holdsTokenOf("https://auth.example", "Bearer application-token"), false);
});
