import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, readdirSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { describe, test } from "node:test";
import { promisify } from "node:util";
import { ownSettings, startProgram } from "../harness/processes/program.ts";
import { skippedWithout } from "../harness/processes/server-process.ts";
import { temporaryFolder } from "../harness/runs/folder.ts";
import { Stage } from "./stage.ts";
import { walk } from "./walk.ts";

const TOUR = join(import.meta.dirname, "tour.ts");
const ROOT = join(import.meta.dirname, "../..");
const ESCAPE = "\u001b[";
const TERMINAL = "import pty, sys; pty.spawn(sys.argv[1:])";

describe("the tour", () => {
	test("runs every step, prints it, and prints no complete secret", async () => {
		const { stdout } = await promisify(execFile)(process.execPath, [TOUR], { timeout: 60_000 });
		for (const step of [
			"1. A partner asks",
			"5. The same call again is a replay",
			"9. The admin grants access",
		])
			assert.match(stdout, new RegExp(`^${step}`, "m"));
		assert.match(stdout, /^ {3}\$ curl -k https:\S+\/api\/v1\/access-requests --json '\{/m);
		assert.match(stdout, /^ {3}\$ bin\/latchkey sign -k --nonce /m);
		assert.match(stdout, /^ {3}401 \{"error":/m);
		assert.match(stdout, /^ {3}200 .*"allowed":false,"reason":"not_assigned"/m);
		assert.match(stdout, /^ {3}200 .*"allowed":true,"reason":"ok"/m);
		assert.doesNotMatch(stdout, /sk_[A-Za-z0-9_-]{43}/);
		assert.match(stdout, /\nEvery step succeeded in [0-9.]+ s\.\n/);
		assert.ok(!stdout.includes(ESCAPE), "color in a pipe");
		const [, next = ""] = stdout.split("\nWhat next:\n");
		assert.match(next, /^ {2}npm start {2,}/);
		for (const [path] of next.matchAll(/docs\/\S+\.md/g)) assert.ok(existsSync(join(ROOT, path)), path);
	});

	test("uses color on a terminal", { skip: skippedWithout("python3") }, async () => {
		// In CI, Node assumes a terminal without color.
		const { NO_COLOR: _, NODE_DISABLE_COLORS: __, CI: ___, ...env } = process.env;
		const { stdout } = await promisify(execFile)("python3", ["-c", TERMINAL, process.execPath, TOUR], {
			timeout: 60_000,
			env: { ...env, TERM: "xterm" },
		});
		assert.ok(stdout.includes(`${ESCAPE}1m1. A partner asks for access${ESCAPE}22m`), stdout);
		assert.ok(stdout.includes(`${ESCAPE}36m$ bin/latchkey sign -k `), stdout);
	});

	for (const [signal, status, when] of [
		["SIGINT", 130, /npm start/],
		["SIGTERM", 143, /4\. The partner/],
	] as const) {
		test(`cleans up after ${signal} at ${when.source}`, async () => {
			using folder = temporaryFolder();
			const env = { ...process.env, TMPDIR: folder.path };
			const tour = spawn(process.execPath, [TOUR], { env, stdio: ["ignore", "pipe", "pipe"] });
			let printed = "";
			tour.stdout.setEncoding("utf8").on("data", (chunk: string) => {
				if (!when.test(printed) && when.test(printed + chunk)) tour.kill(signal);
				printed += chunk;
			});
			const [said, [code]] = await Promise.all([text(tour.stderr), once(tour, "exit")]);
			assert.deepEqual(
				[code, readdirSync(folder.path).filter((name) => name.startsWith("latchkey-"))],
				[status, []],
			);
			assert.match(said, new RegExp(`tour: stopped by ${signal}; the service has ended`));
			const port = Number(/LATCHKEY_HTTPS_PORT=(\d+)/.exec(printed)?.[1]);
			const [refused] = await once(connect(port, "127.0.0.1"), "error");
			assert.equal(refused.code, "ECONNREFUSED");
		});
	}

	test("reports missing development packages", async () => {
		using folder = temporaryFolder();
		for (const part of ["bin", "src", "test/tour", "test/harness", "package.json"])
			cpSync(join(ROOT, part), join(folder.path, part), { recursive: true });
		const tour = promisify(execFile)(process.execPath, [join(folder.path, "test/tour/tour.ts")]);
		await assert.rejects(tour, (error: { code: number; stderr: string; stdout: string }) => {
			assert.deepEqual([error.code, error.stdout], [1, ""]);
			assert.match(
				error.stderr,
				/^tour: the package postal-mime is not installed: .* run npm ci without --omit=dev\n$/,
			);
			return true;
		});
	});

	test("names the step that fails", async () => {
		using folder = temporaryFolder();
		const env = {
			...(await ownSettings(folder.path)),
			LATCHKEY_RATE_LIMIT_PER_MINUTE: "2",
			LATCHKEY_ADMIN_PASSWORD: "the password of the tour",
		};
		const program = await startProgram({ env });
		const printed: string[] = [];
		try {
			const stage = new Stage(program, (line) => printed.push(line));
			await assert.rejects(
				walk({ stage, dataDir: folder.path, adminPassword: env.LATCHKEY_ADMIN_PASSWORD }),
				/^Error: step 2 "A reviewer signs in and approves" failed: expected 200, got 429$/,
			);
		} finally {
			await program.end();
		}
		assert.match(printed.at(-1) ?? "", /^ {3}429 \{"error":"too many requests/);
		assert.doesNotMatch(printed.join("\n"), /the password of the tour/);
	});
});
