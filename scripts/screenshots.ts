// `npm run screenshots`: takes screenshots of every screen with example data, in light and dark, for desktop and
// phone, in `build/screenshots/`. Arguments select views by name; with `zh-CN`, the views without steps are in Chinese.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { openPages, type PagesUnderTest } from "../test/harness/browser/pages.ts";
import { DAY_MS, DAYS, type ExampleData, fillTestService } from "./screenshots/example-data.ts";
import { VIEWS, type View } from "./screenshots/views.ts";

const FOLDER = join(import.meta.dirname, "../build/screenshots");
const DEVICES = {
	desktop: { viewport: { width: 1280, height: 800 } },
	phone: { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true },
} as const;

const CHINESE = "zh-CN";
const locale = process.argv.includes(CHINESE) ? CHINESE : undefined;
const names = process.argv.slice(2).filter((name) => name !== CHINESE);
const views = VIEWS.filter(
	({ name, steps }) =>
		(names.length === 0 || names.includes(name)) && (locale !== CHINESE || steps === undefined),
);
if (views.length === 0)
	throw new Error(`unknown view; the views are ${VIEWS.map(({ name }) => name).join(", ")}`);
mkdirSync(FOLDER, { recursive: true });
await using pages = await openPages({ atMs: Date.now() - DAYS * DAY_MS });
// The doctor reads the settings of this process.
process.env.LATCHKEY_DATA_DIR = pages.service.dataDir;
const data = await fillTestService(pages.service);
for (const view of views)
	for (const device of ["desktop", "phone"] as const) await photograph(pages, view, device);
process.exit(0);

async function photograph(
	{ open, openAs }: PagesUnderTest,
	view: View,
	device: keyof typeof DEVICES,
): Promise<void> {
	const options = {
		...DEVICES[device],
		reducedMotion: "reduce",
		...(locale !== undefined && { locale }),
	} as const;
	const person = data.people.find(({ username }) => username === view.as);
	if (view.as !== undefined && person === undefined) throw new Error(`${view.name}: unknown user ${view.as}`);
	const path = withIds(view.path, data);
	for (const colorScheme of ["light", "dark"] as const) {
		const scheme = { ...options, colorScheme };
		const { page, context } = await (person === undefined
			? open(path, scheme)
			: openAs(person, path, scheme));
		await page.waitForLoadState("networkidle");
		await page.getByRole("heading", { level: 1 }).first().waitFor();
		await view.steps?.(page, data);
		const language = locale === CHINESE ? `-${CHINESE}` : "";
		const file = `${view.name}-${colorScheme}-${device}${language}.webp`;
		writeFileSync(join(FOLDER, file), await picture(page));
		console.log(file);
		await context.close();
	}
}

/** WebP has a third of the size of PNG, but Playwright does not support it. */
async function picture(page: Page): Promise<Buffer> {
	const session = await page.context().newCDPSession(page);
	const { data } = await session.send("Page.captureScreenshot", { format: "webp", quality: 82 });
	return Buffer.from(data, "base64");
}

function withIds(path: string, { people, applicationIds, clients, pendingRequestIds }: ExampleData): string {
	const ids: Record<string, string | undefined> = {
		person: people[3]?.id,
		application: applicationIds[0],
		client: clients[0]?.id,
		request: pendingRequestIds[0],
	};
	return path.replaceAll(/\{(\w+)\}/g, (_, name) => {
		const id = ids[name];
		if (id === undefined) throw new Error(`${path}: no example of ${name}`);
		return id;
	});
}
