// The console shows the line that turns on PKCE for libraries that it recognizes, as the guide has it.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { pkceRemedies } from "../../pages/console/refusals/pkce-remedy.ts";

const GUIDE = readFileSync(join(import.meta.dirname, "../../docs/protect-your-application.md"), "utf8");
const lacks = (uri: string): string =>
	`send code_challenge (PKCE, S256); an administrator can set pkce to optional for this client; redirect_uri: ${uri}`;
const librariesAt = (uri: string) => pkceRemedies(lacks(uri))?.map(({ library }) => library);

describe("pkceRemedies", () => {
	const usual = {
		"https://shop.example/oidc/callback/": ["mozilla-django-oidc"],
		"https://shop.example/accounts/oidc/latchkey/login/callback/": ["django-allauth"],
		"https://shop.example/accounts/latchkey/login/callback/": ["django-allauth"],
		"https://shop.example/redirect_uri": ["lua-resty-openidc", "mod_auth_openidc"],
		"http://localhost:5000/login/latchkey/authorized": ["Flask-Dance 7"],
		"https://mail.example/index.php/login/oauth": ["Roundcube 1.7"],
		"https://flows.example/auth/strategy/callback/": ["Node-RED"],
		"http://localhost:1410/": ["httr2"],
	};
	for (const [uri, libraries] of Object.entries(usual))
		test(`recognizes ${uri}`, () => {
			assert.deepEqual(librariesAt(uri), libraries);
			for (const { line } of pkceRemedies(lacks(uri)) ?? []) assert.ok(GUIDE.includes(line), line);
		});

	test("recognizes no library at other redirect URIs, or without one", () => {
		for (const uri of ["https://shop.example/callback", "https://shop.example/oidc/callback/x", "urn:x"])
			assert.deepEqual(librariesAt(uri), [], uri);
		assert.deepEqual(pkceRemedies("send code_challenge (PKCE, S256)"), []);
	});

	test("is silent about refusals with another cause", () => {
		for (const reason of [null, "", "scope is missing", "the request must send code_challenge"])
			assert.equal(pkceRemedies(reason), undefined, String(reason));
	});
});
