// Checks every form of the pages: a busy service, a rate limit, a revoked session, markup and right-to-left text in
// names; operated by keyboard on a narrow phone, without a WCAG violation.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Page, Request } from "playwright-core";
import type { Person } from "../people/people.ts";
import { atDepth } from "../runs/depth.ts";
import type { TestService } from "../service/service.ts";
import { BROWSER_SKIPPED, type WatchedPage } from "./browser.ts";
import { addHostileData, HOSTILE } from "./hostile-data.ts";
import { contentOfForm, fillByKeyboard, press } from "./keyboard.ts";
import { fitsWidth, noAxeViolations, noTroubles, openPages, PAGES_URL, tabTo } from "./pages.ts";

export interface FormCase {
	/** The file under `pages/` that renders the form. */
	readonly source: string;
	/** `{group}` is replaced with the id of that name. */
	readonly path: string;
	/** Buttons and menu entries to press first, in order. */
	readonly open?: readonly (string | RegExp)[];
	/** A selector of an element that appears when the form is ready. */
	readonly ready?: string;
	/** A text field to change first, in a form whose submit button appears with the first change. */
	readonly changed?: string;
	/** A text, or a key for a field of another kind, by field name. Other empty text fields get `HOSTILE`. */
	readonly values?: Readonly<Record<string, string>>;
	/** The text of the submit button. */
	readonly submit: string;
	/** The method and path of the request; `{…}` matches one segment. */
	readonly sends: string;
	/** The status instead of a success, where the API requires something only a mail or a device has. */
	readonly status?: number;
	/** Runs before the form opens. */
	readonly begin?: (stage: FormStage) => Promise<void>;
	/** Runs at every depth; the other forms run in `npm run test:long`. */
	readonly isSample?: true;
}

export interface FormStage extends WatchedPage, AsyncDisposable {
	readonly ids: Readonly<Record<string, string>>;
	/** The signed-in user, whose session is revoked during each form; undefined: no user. */
	readonly admin: Person | undefined;
	readonly service: TestService;
	/** Of `admin`, if a form enrolled a second factor: each in-place sign-in uses one. */
	readonly recoveryCodes: string[];
	/** Requests of the page that still wait for a response. */
	readonly pending: ReadonlySet<Request>;
}

interface Forged {
	readonly status: 429 | 503;
	readonly code: string;
	readonly detail: string;
	/** What the page shows. */
	readonly shown: string;
	/** Longer than the checks before the next step take on a busy machine. The clock of the page skips them. */
	readonly seconds: number;
}

const TIMEOUT_MS = 30_000;
const PHONE = { viewport: { width: 360, height: 780 } } as const;
const BUSY: Forged = {
	status: 503,
	code: "service.overloaded",
	detail: "the service is busy",
	shown: "the service is busy",
	seconds: 120,
};
const LIMITED: Forged = {
	status: 429,
	code: "request.too_many",
	detail: "too many requests: at most 100 a minute",
	shown: "Too many requests from this network.",
	seconds: 120,
};

/** Runs in the page: finds texts in which a right-to-left name reorders its neighbors. */
const TURNED_TEXTS = `(() => {
	const isAlone = (node) => {
		let box = node.parentElement;
		while (getComputedStyle(box).display.startsWith("inline") && box.parentElement !== null) box = box.parentElement;
		return box.textContent.trim() === node.textContent.trim();
	};
	const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
	const found = [];
	for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
		const parent = node.parentElement;
		if (!/[\\u0590-\\u08ff]/.test(node.data) || /[\\u2066-\\u2068]/.test(node.data)) continue;
		if (parent.closest("option, textarea, script, style, [aria-hidden=true]") !== null || !parent.checkVisibility()) continue;
		const isName = !/[a-z]/i.test(node.data.replaceAll(${JSON.stringify(HOSTILE)}, ""));
		if (isName && (isAlone(node) || parent.closest("bdi, [dir=auto]") !== null)) continue;
		found.push(parent.outerHTML.slice(0, 200));
	}
	return found;
})()`;

interface StageOptions {
	readonly env?: Readonly<Record<string, string>>;
	readonly isSignedIn?: boolean;
}

/** Opens a page on a narrow phone, with a service full of hostile names and a clock that can be advanced. */
export async function openStage({ env = {}, isSignedIn = true }: StageOptions = {}): Promise<FormStage> {
	const pages = await openPages({ env });
	const { service } = pages;
	const { admin, ids } = await addHostileData(service);
	const watched = isSignedIn
		? await pages.openAs(admin, undefined, PHONE)
		: await pages.open(undefined, PHONE);
	await watched.page.clock.install();
	watched.page.setDefaultTimeout(TIMEOUT_MS);
	return {
		...watched,
		ids,
		admin: isSignedIn ? admin : undefined,
		service,
		recoveryCodes: [],
		pending: pendingRequests(watched.page),
		[Symbol.asyncDispose]: () => pages[Symbol.asyncDispose](),
	};
}

/** Checks the forms of a table that run at this depth, in order, on one page. */
export function describeForms(title: string, forms: readonly FormCase[], options: StageOptions = {}): void {
	describe(title, { skip: BROWSER_SKIPPED, timeout: 300_000 }, () => {
		let stage: FormStage;
		before(async () => {
			stage = await openStage(options);
		});
		after(() => stage?.[Symbol.asyncDispose]());
		enduresEach(forms, () => stage);
	});
}

/** Tests the forms of a table that run at this depth. */
export function enduresEach(forms: readonly FormCase[], stage: () => FormStage): void {
	const samples = forms.filter(({ isSample }) => isSample);
	for (const form of atDepth({ quick: samples, all: samples, long: forms }))
		test(`${form.path}: ${form.submit}, ${form.sends}`, () => endures(stage(), form));
}

function pendingRequests(page: Page): ReadonlySet<Request> {
	const pending = new Set<Request>();
	page.on("request", (request) => pending.add(request));
	for (const event of ["requestfinished", "requestfailed"] as const)
		page.on(event as "requestfinished", (request) => pending.delete(request));
	return pending;
}

/** Resolves when the page has rendered every response, such as the roles that a dialog loads after it opens. */
async function untilDrawn({ page, pending }: FormStage): Promise<void> {
	const deadlineMs = Date.now() + TIMEOUT_MS;
	for (let quietFrames = 0; quietFrames < 2; ) {
		await page.evaluate("new Promise((resolve) => requestAnimationFrame(resolve)).then(() => undefined)");
		quietFrames = pending.size === 0 ? quietFrames + 1 : 0;
		if (quietFrames > 0) continue;
		const urls = [...pending].map((request) => request.url()).join("\n");
		assert.ok(Date.now() < deadlineMs, `no response to ${urls}`);
	}
}

/** Fills the form and submits it to a busy service, a rate limit, a revoked session, and finally successfully. */
async function endures(stage: FormStage, form: FormCase): Promise<void> {
	const { page, context, admin } = stage;
	const isSent = matcher(form.sends);
	const troublesBefore = stage.troubles.length;
	const bodies: string[] = [];
	let forged: Forged | undefined = BUSY;
	const sent = (request: Request) => {
		if (isSent(request)) bodies.push(timeless(request.postData()));
	};
	page.on("request", sent);
	await context.route(
		(url) => url.pathname.startsWith("/api/v1/"),
		(route) =>
			forged !== undefined && isSent(route.request()) ? route.fulfill(answer(forged)) : route.fallback(),
	);
	try {
		await page.goto(`${PAGES_URL}${withIds(form.path, stage.ids)}`);
		await form.begin?.(stage);
		for (const name of form.open ?? []) await press(page, name);
		if (form.ready !== undefined) await page.locator(form.ready).first().waitFor({ state: "attached" });
		await untilDrawn(stage);
		if (form.changed !== undefined) await page.locator(`[name="${form.changed}"]`).fill("changed");
		await fillByKeyboard(page, form.submit, { text: HOSTILE, values: form.values ?? {} });
		await untilDrawn(stage);
		const typed = await contentOfForm(page);
		await page.keyboard.press("Enter");
		await page.getByText(BUSY.shown).waitFor();
		assert.equal(await contentOfForm(page), typed, "what is typed stays after 503");
		// In a window as tall as the page, neither the header nor the bar that saves covers a part of a field.
		await page.setViewportSize({ ...PHONE.viewport, height: 4_000 });
		await noAxeViolations(page, ["light"]);
		await page.setViewportSize(PHONE.viewport);
		await fitsWidth(page, PHONE.viewport.width);
		await showsNamesAsText(page);

		forged = LIMITED;
		await untilRetried(stage, BUSY);
		await tryAgain(page);
		await page.getByText(LIMITED.shown).waitFor();
		assert.equal(await contentOfForm(page), typed, "what is typed stays after 429");

		forged = undefined;
		// With the clock, the page renews what it shows, which must not find the end of the session first.
		await untilRetried(stage, LIMITED);
		await untilDrawn(stage);
		if (admin !== undefined) await endSessionsOf(admin, stage);
		const done = page.waitForResponse(
			(response) =>
				isSent(response.request()) && ![429, 503, admin === undefined ? 0 : 401].includes(response.status()),
		);
		await tryAgain(page);
		if (admin !== undefined) await signInInPlace(admin, stage, typed);
		const response = await done;
		const { status = 0 } = form;
		assert.ok(
			status === 0 ? response.ok() : response.status() === status,
			`${response.status()} ${await response.text().catch(() => "")}`,
		);
		// Until the page knows the response, it asks before the next form opens.
		await untilDrawn(stage);
		assert.equal(new Set(bodies).size, 1, `what is sent again differs: ${bodies.join("\n")}`);
		await showsNamesAsText(page);
		const troubles = stage.troubles
			.slice(troublesBefore)
			.filter((text) => !/ status of (?:400|401|404|409|429|503) /.test(text));
		noTroubles({ ...stage, troubles });
	} finally {
		page.off("request", sent);
		await context.unrouteAll();
	}
}

/** Checks that the button of the notice waits as long as the response says. */
async function untilRetried(stage: FormStage, { seconds }: Forged): Promise<void> {
	const { page } = stage;
	const button = page.getByRole("button", { name: /^Try again/ });
	assert.equal(await button.isDisabled(), true, "waits for the seconds of Retry-After");
	// The clock would time out what the page reads meanwhile, which then offers to try again, too.
	await untilDrawn(stage);
	await page.clock.fastForward(seconds * 1_000);
	await page.getByRole("button", { name: "Try again", exact: true }).waitFor();
}

/** Checks that the notice has the focus. */
async function tryAgain(page: Page): Promise<void> {
	await tabTo(page, "Try again", 2);
	await page.keyboard.press("Enter");
}

async function endSessionsOf(admin: Person, { service }: FormStage): Promise<void> {
	const token = await service.adminToken();
	const { status } = await service.call("POST", `/api/v1/users/${admin.id}/sessions/revoke`, { token });
	assert.equal(status, 200);
}

async function signInInPlace(
	admin: Person,
	{ page, recoveryCodes }: FormStage,
	typed: string,
): Promise<void> {
	const dialog = page.getByRole("dialog", { name: "Your session has ended" });
	const field = dialog.getByLabel("Password", { exact: true });
	await field.waitFor();
	assert.equal(await contentOfForm(page), typed, "what is typed stays when the session ends");
	await field.focus();
	await page.keyboard.insertText(admin.password);
	await page.keyboard.press("Enter");
	const code = recoveryCodes.pop();
	if (code === undefined) return;
	await press(page, "Use a recovery code");
	await page.getByRole("dialog").getByLabel("Recovery code").focus();
	await page.keyboard.insertText(code);
	await page.keyboard.press("Enter");
}

async function showsNamesAsText(page: Page): Promise<void> {
	assert.equal(await page.locator('img[src="x"]').count(), 0);
	assert.notEqual(await page.title(), "taken over");
	assert.deepEqual(await page.evaluate(TURNED_TEXTS), [], "a right-to-left name is not isolated");
}

function matcher(route: string): (request: Request) => boolean {
	const [method, path = ""] = route.split(" ");
	const pattern = new RegExp(`^${path.replaceAll(/\{\w+\}/g, "[^/]+")}$`);
	return (request) => request.method() === method && pattern.test(new URL(request.url()).pathname);
}

/** Makes times relative to the time of the request, such as the expiry of a key. */
function timeless(body: string | null): string {
	return (body ?? "").replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "a moment");
}

function answer({ status, code, detail, seconds }: Forged) {
	return {
		status,
		headers: { "retry-after": String(seconds), "content-type": "application/problem+json" },
		body: JSON.stringify({ code, title: detail, detail }),
	};
}

function withIds(path: string, ids: Readonly<Record<string, string>>): string {
	return path.replaceAll(/\{(\w+)\}/g, (_, name) => {
		const id = ids[name];
		if (id === undefined) throw new Error(`${path}: there is no ${name}`);
		return id;
	});
}
