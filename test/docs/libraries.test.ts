// The libraries of the console and those of docs/protect-your-application.md.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { LIBRARIES, OTHER_LIBRARY, settingsFor } from "../../pages/console/openid/libraries.ts";

const GUIDE = readFileSync(new URL("../../docs/protect-your-application.md", import.meta.url), "utf8");
const [, section = ""] = /^## Other libraries$([\s\S]*?)^## /m.exec(GUIDE) ?? [];
const rows = [...section.matchAll(/^\| ([^|]+) \| `(\w+)` \| `(\w+)` \| ([^|]+) \|/gm)];

test("the guide and the console list the same libraries for servers, with the same PKCE setting", () => {
	const documented = rows.flatMap(([, label, type, pkce]) => (type === "web" ? [{ label, pkce }] : []));
	assert.deepEqual(
		LIBRARIES.map(({ label, pkce }) => ({ label, pkce })),
		documented,
	);
});

test("the guide lists 20 libraries, and requires PKCE of those without a server", () => {
	assert.equal(rows.length, 20);
	for (const [row, , type, pkce] of rows) if (type !== "web") assert.equal(pkce, "required", row);
});

test("a library that is not listed gets the defaults of the API", () => {
	assert.deepEqual(settingsFor(OTHER_LIBRARY), { pkce: "required", id_token_alg: "RS256" });
	assert.deepEqual(settingsFor("omniauth"), { pkce: "optional", id_token_alg: "RS256" });
});
