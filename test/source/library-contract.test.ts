// The contract with the library of the OpenID provider: complete, checked, tested, and explained.

import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { existsSync, globSync, readFileSync } from "node:fs";
import { describe, it } from "node:test";
import Provider, { errors, interactionPolicy } from "oidc-provider";
import {
	checkMembers,
	checkModule,
	LIBRARY_CONTRACT,
	LIBRARY_HOOKS,
} from "../../src/adapters/oidc/library-contract.ts";
import { bare, readDocument, sections, tableRows } from "../docs/document.ts";

const ROOT = new URL("../../", import.meta.url);
const { version } = JSON.parse(
	readFileSync(new URL("node_modules/oidc-provider/package.json", ROOT), "utf8"),
);

type Members = Record<string, unknown>;

/** Objects with every member of the contract except one. */
function libraryWithout(absent: string): Members {
	const library: Members = {};
	for (const { member } of LIBRARY_CONTRACT) {
		if (member === absent || member.startsWith(`${absent}.`)) continue;
		let holder = library;
		for (const name of member.split(".")) {
			holder[name] ??= {};
			holder = holder[name] as Members;
		}
	}
	return library;
}

describe("the contract with oidc-provider", () => {
	it("is fulfilled by the installed version, and by any that has its members", () => {
		checkModule();
		const keys = [generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey.export({ format: "jwk" })];
		const [adapter, cookies] = [() => ({}), { keys: ["unused"] }];
		checkMembers({ provider: new Provider("https://auth.example", { adapter, cookies, jwks: { keys } }) });
		checkMembers(libraryWithout("none"));
	});

	for (const { member } of LIBRARY_CONTRACT)
		it(`names ${member} and the installed version when it is missing`, () => {
			const start = `oidc-provider ${version} lacks ${member} (`;
			assert.throws(
				() => checkMembers(libraryWithout(member)),
				({ message }: Error) => message.startsWith(start) || message.includes(`, ${member} (`),
			);
		});

	it("names what the library itself no longer has", () => {
		const { SlowDown: _, ...others } = errors;
		assert.throws(
			() => checkMembers({ errors: others }),
			/lacks errors\.SlowDown \(refuses a device; see test\//,
		);
		const withoutLogin = interactionPolicy.base() as unknown as { name: string }[];
		const policy = withoutLogin.filter(({ name }) => name !== "login");
		assert.throws(() => checkMembers({ policy }), /lacks policy\.login \([^,]*$/);
		const renamed = interactionPolicy.base();
		Object.assign(renamed.get("consent").checks.get("native_client_prompt"), { reason: "renamed" });
		assert.throws(
			() => checkMembers({ policy: renamed }),
			/lacks policy\.consent\.checks\.native_client_prompt \(/,
		);
	});

	it("lists every member once, with a test file that exists", () => {
		const listed = LIBRARY_CONTRACT.map(({ member }) => member);
		assert.deepEqual(listed, [...new Set(listed)]);
		for (const { member, test } of LIBRARY_CONTRACT)
			assert.ok(
				test.endsWith(".test.ts") && existsSync(new URL(`test/${test}`, ROOT)),
				`${member}: test/${test}`,
			);
	});

	const files = globSync("src/adapters/oidc/*.ts", { cwd: ROOT });
	const source = files.map((path) => readFileSync(new URL(path, ROOT), "utf8")).join("\n");
	const namesIn = (pattern: RegExp) =>
		[...new Set([...source.matchAll(pattern)].map(([, name]) => name))].sort();

	it("lists every member that the code replaces or wraps, and every error that it throws", () => {
		const replaced = namesIn(/\b(?:prototype|Client|ReplayDetection)\.(\w+) = /g);
		const overridden = namesIn(/\boverride (\w+)\(/g);
		const checks = namesIn(/\.checks\.get\("(\w+)"\)/g);
		const hooks = LIBRARY_HOOKS.map(({ member }) => member.split(".").at(-1));
		const found = [...replaced, ...overridden, ...checks];
		assert.deepEqual(hooks.toSorted(), found.toSorted());
		const listed = LIBRARY_CONTRACT.flatMap(({ member }) => /^errors\.(\w+)$/.exec(member)?.[1] ?? []);
		assert.deepEqual(listed.toSorted(), namesIn(/\berrors\.([A-Z]\w+)/g));
	});

	it("is explained in docs/architecture.md, hook by hook", () => {
		const section = sections(readDocument("docs/architecture.md")).get("Hooks of the OpenID library") ?? "";
		const explained = tableRows(section);
		assert.deepEqual(
			explained.map(([hook = ""]) => bare(hook)),
			LIBRARY_HOOKS.map(({ member }) => member),
		);
		for (const cells of explained) assert.ok(cells.length === 3 && cells.every(Boolean), cells.join(" | "));
	});
});
