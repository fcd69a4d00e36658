// `latchkey demo`: what it prints works in a browser, stays on this machine, and leaves nothing behind.

import assert from "node:assert/strict";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { describe, test } from "node:test";
import { BROWSER_SKIPPED } from "../harness/browser/browser.ts";
import { enterPassword } from "../harness/browser/pages.ts";
import { openBrowser } from "../harness/browser/shared-browser.ts";
import { spawnProgram } from "../harness/processes/program.ts";
import { fixture, setup } from "../harness/runs/fixture.ts";
import { lastingFolder } from "../harness/runs/folder.ts";
import { createCalls } from "../harness/service/calls.ts";
import { eventually } from "../harness/webhooks/webhooks.ts";

type Printed = Readonly<Record<"console" | "application" | "api", string>> &
	Readonly<Record<"admin" | "reader", { readonly username: string; readonly password: string }>>;

describe("latchkey demo", { skip: BROWSER_SKIPPED, timeout: 180_000 }, () => {
	const folder = lastingFolder();
	let printed: Printed;
	const program = fixture(async () => {
		// Settings of an installation, which the demo must not touch.
		const env = { TMPDIR: folder, LATCHKEY_DATA_DIR: "/nonexistent", LATCHKEY_PORT: "1" };
		return spawnProgram(["demo", "--json"], { env });
	}, "end");
	setup(async () => {
		const [line] = await program.printed(/^\{"ready":.*\}$/m, 120_000);
		printed = JSON.parse(line);
	});
	const browser = fixture(
		() => openBrowser(new URL(printed.console).origin, Number(new URL(printed.console).port)),
		Symbol.asyncDispose,
	);

	test("has people, a queue, partners, refusals, and a webhook that fails", async () => {
		const port = Number(new URL(printed.console).port);
		const { call, close } = createCalls({ http: port, https: port });
		try {
			const signIn = { https: true, body: printed.admin };
			const { body } = await call("POST", "/api/v1/auth/login", signIn);
			const read = async (path: string) => {
				const options = { https: true, token: body.data.access_token };
				return (await call<{ data: readonly never[]; total: number }>("GET", `/api/v1${path}`, options)).body;
			};
			assert.ok((await read("/users")).total > 300);
			assert.equal((await read("/requests?status=pending&kind=partner")).total, 3);
			assert.equal((await read("/requests?status=pending&kind=person")).total, 3);
			assert.equal((await read("/api-clients")).total, 4);
			const failing = async (): Promise<string[]> => {
				const webhooks: readonly { url: string; failing_since: string | null }[] = (await read("/webhooks"))
					.data;
				return webhooks
					.filter(({ failing_since }) => failing_since !== null)
					.map(({ url }) => new URL(url).pathname);
			};
			const paths = await eventually(failing, ({ length }) => length > 0);
			assert.deepEqual(paths, ["/billing"]);
		} finally {
			close();
		}
	});

	test("signs a reader in, shows each step, and lets the gate decide", async () => {
		const { page } = await browser.open();
		await page.goto(printed.application);
		await page.getByRole("button", { name: "Sign in" }).click();
		await enterPassword(page, printed.reader);
		await page.getByRole("button", { name: "Allow" }).click();
		await page.getByRole("heading", { level: 1, name: "You are signed in" }).waitFor();
		const steps = page.getByRole("heading", { level: 2 });
		assert.deepEqual(await steps.allTextContents(), [
			"The application sends your browser to the service",
			"Your browser returns with a code",
			"The application exchanges the code for tokens",
			"The ID token says who signed in",
			"The access token says what the user may do at the API",
		]);
		assert.match((await page.locator("li").nth(3).textContent()) ?? "", /nameAisha Rahman/);
		assert.match((await page.locator("li").nth(4).textContent()) ?? "", /scopeorders:read/);
		for (const call of ["GET /orders/7", "DELETE /orders/7"])
			await page.getByRole("button", { name: call, exact: true }).click();
		assert.deepEqual((await steps.allTextContents()).slice(5), [
			"The gate lets the call pass",
			"The gate refuses the call",
		]);
		assert.match((await page.locator("li").nth(5).textContent()) ?? "", /→ 200.*callerAisha Rahman/);
		assert.match((await page.locator("li").nth(6).textContent()) ?? "", /→ 403/);
		await page.getByRole("button", { name: "Sign out" }).click();
		await page.waitForURL(`${new URL(printed.console).origin}/**`);
	});

	test("listens on this machine only, and removes everything when it stops", async () => {
		// The local addresses of the listening sockets (state 0A) of this process, in hexadecimal.
		const inodes = new Set(socketsOf(program.pid));
		const listening = ["tcp", "tcp6"]
			.flatMap((file) => readFileSync(`/proc/net/${file}`, "utf8").trim().split("\n").slice(1))
			.map((line) => line.trim().split(/\s+/))
			.filter(([, , , state, , , , , , inode]) => state === "0A" && inodes.has(inode ?? ""));
		assert.equal(listening.length, 5);
		for (const [, address] of listening) assert.match(address ?? "", /^0100007F:/);
		program.kill("SIGINT");
		const { code, stderr } = await program.exited;
		assert.equal(code, 0, stderr);
		assert.deepEqual(readdirSync(folder), []);
	});
});

function socketsOf(pid: number): string[] {
	return readdirSync(`/proc/${pid}/fd`).flatMap((descriptor) => {
		try {
			return /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/${pid}/fd/${descriptor}`))?.[1] ?? [];
		} catch {
			// Closed meanwhile.
			return [];
		}
	});
}
