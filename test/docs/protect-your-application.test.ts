// The console shows the programs of docs/protect-your-application.md with the values of an application filled in.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { fillIn, localAddress, portOf, servedAddresses } from "../../pages/console/openid/fill-in.ts";
import { FRAMEWORKS, type Framework } from "../../pages/console/openid/frameworks.ts";
import { filesIn } from "../../scripts/pages/guide-code.ts";
import { headingId } from "../../src/pages/guide-entries.ts";
import { readDocument } from "./document.ts";

const text = readDocument("docs/protect-your-application.md");
const FILES = filesIn(text);
const ISSUER = "https://id.example.com";
const CLIENT_ID = "0193f1a0-0000-7000-8000-000000000001";
const PATH = "/sign-in/back";
const FOREIGN = "https://shop.example.com/api/auth/callback/latchkey";

describe("the frameworks of the console", () => {
	test("show every program of the guide", () => {
		const shown = FRAMEWORKS.flatMap(({ files }): readonly string[] => files);
		assert.deepEqual(shown.toSorted(), Object.keys(FILES).toSorted());
	});

	for (const framework of FRAMEWORKS as readonly Framework[]) {
		const { label, anchor, callback, install, run, cookieSecret, files } = framework;
		const section = sections().find(([id]) => id === anchor)?.[1] ?? "";

		test(`${label} says what the guide says`, () => {
			assert.notEqual(section, "", `no section #${anchor}`);
			const connecting = sections().find(([id]) => id === "connect-it")?.[1] ?? "";
			const row = connecting.split("\n").find((line) => line.includes(label)) ?? "";
			assert.ok(row.includes(`\`${localAddress(framework)}\``), row);
			if (install !== undefined) assert.ok(section.includes(`\`${install}\``), install);
			if (run !== undefined) assert.ok(section.includes(`\`${run("3000")}\``), run("3000"));
			if (cookieSecret !== undefined) assert.ok(text.includes(`\`${cookieSecret}\``), cookieSecret);
			for (const file of files) assert.ok(section.includes(FILES[file] ?? "missing"), file);
		});

		test(`${label} is filled in`, () => {
			const redirectUri = `http://localhost:4321${callback.isFixed ? callback.path : PATH}`;
			const connection = { issuer: ISSUER, clientId: CLIENT_ID, redirectUri };
			const code = files.map((file) => fillIn(FILES[file] ?? "", connection)).join("\n");
			for (const value of [ISSUER, CLIENT_ID]) assert.ok(code.includes(value), value);
			assert.doesNotMatch(code, /(?:env\.|environ\["|\$\{)OIDC_(?:ISSUER|CLIENT_ID)|localhost:3000|3000/);
			assert.doesNotMatch(code, /OIDC_ISSUER, |\{ OIDC_ISSUER/);
			if (!callback.isFixed) {
				assert.ok(code.includes(PATH));
				assert.doesNotMatch(code, /\/callback"|\/callback`/);
			}
		});
	}
});

describe("servedAddresses", () => {
	const [express] = FRAMEWORKS;
	const next = FRAMEWORKS.find(({ key }) => key === "next") ?? express;

	test("keeps the redirect URIs that a program can serve", () => {
		assert.deepEqual(servedAddresses(express, [`https://a.example.com${PATH}`, FOREIGN]), [
			`https://a.example.com${PATH}`,
			FOREIGN,
		]);
		assert.deepEqual(servedAddresses(next, [`https://a.example.com${PATH}`, FOREIGN]), [FOREIGN]);
	});

	for (const address of [
		"https://a.example.com",
		"https://a.example.com/",
		"https://a.example.com/back?app=1",
		"https://a.example.com:443/back",
		"https://A.example.com/back",
		"https://a.example.com/x/../back",
		"https://a.example.com/back/",
		"https://a.example.com/:id",
		"https://a.example.com/(back)",
		"https://a.example.com/$back",
		"https://a.example.com/b%22ack",
		"https://a.example.com/back'",
	])
		test(`leaves out ${address}`, () => assert.deepEqual(servedAddresses(express, [address]), []));

	test("uses the port of the developer's machine", () => {
		assert.equal(portOf("http://localhost:4321/back"), "4321");
		assert.equal(portOf("http://localhost/back"), "80");
		assert.equal(portOf("https://shop.example.com:8443/back"), "3000");
	});
});

/** By anchor. */
function sections(): readonly (readonly [id: string, content: string])[] {
	const seen = new Map<string, number>();
	return text.split(/^## /m).map((section) => [headingId(section.split("\n")[0] ?? "", seen), section]);
}
