// A suite of tests of the pages, with its own service and a browser.

import { after, before, describe } from "node:test";
import { BROWSER_SKIPPED } from "./browser.ts";
import { openPages, type PagesOptions, type PagesUnderTest } from "./pages.ts";

type Pages = Pick<PagesUnderTest, "service" | "open" | "openAs">;

/**
 * Use `pages` in hooks and tests only: the service starts before the hooks of the suite.
 * @param env settings of the service
 * @param options other options of the service
 */
export function describePages(
	title: string,
	suite: (pages: Pages) => void,
	env: () => Promise<Record<string, string>> | Record<string, string> = () => ({}),
	options: Omit<PagesOptions, "env"> = {},
): void {
	describe(title, { skip: BROWSER_SKIPPED, timeout: 300_000 }, () => {
		let opened: PagesUnderTest | undefined;
		const started = (): PagesUnderTest => {
			if (opened === undefined) throw new Error("the service has not started");
			return opened;
		};
		before(async () => {
			opened = await openPages({ ...options, env: await env() });
		});
		after(() => opened?.[Symbol.asyncDispose]());
		suite({
			get service() {
				return started().service;
			},
			open: (...parameters) => started().open(...parameters),
			openAs: (...parameters) => started().openAs(...parameters),
		});
	});
}
