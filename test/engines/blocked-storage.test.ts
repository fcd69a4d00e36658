// Firefox without cookies or without DOM storage: pages that need no session open, and sign-in says what it needs.

import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { ENGINE_SKIPPED } from "../harness/browser/engine-driver.ts";
import { startEngineService } from "../harness/browser/engine-service.ts";
import { PAGES_URL } from "../harness/browser/pages.ts";
import { fixture } from "../harness/runs/fixture.ts";

const ALL_COOKIES = 2;
const BLOCKED = {
	"all cookies blocked": { "network.cookie.cookieBehavior": ALL_COOKIES },
	"DOM storage switched off": { "dom.storage.enabled": false },
};

describe("Firefox", { skip: ENGINE_SKIPPED.Firefox, timeout: 300_000 }, () => {
	const engine = fixture(() => startEngineService());
	after(() => engine?.[Symbol.asyncDispose]());

	for (const [what, preferences] of Object.entries(BLOCKED))
		it(`opens the public pages with ${what}`, async () => {
			await using page = await engine.open("Firefox", preferences);
			for (const path of ["/", "/sign-in", "/sign-up", "/portal", "/docs", "/docs/signing"]) {
				await page.open(`${PAGES_URL}${path}`);
				await page.until<string>("return document.querySelector('h1')?.textContent ?? ''", (h1) => h1 !== "");
				if (path === "/sign-in" && what === "all cookies blocked")
					await page.sees("Signing in needs cookies.");
				assert.doesNotMatch(await page.read<string>("return document.body.innerText"), /could not/, path);
			}
		});
});
