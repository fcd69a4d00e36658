// `npm run tour`: starts a service of its own, walks the main job end to end and prints each step.

import { join } from "node:path";
import { styleText } from "node:util";
import { temporaryFolder } from "../harness/folder.ts";
import { freePorts, type Program, spawnProgram, whenReady } from "../harness/program.ts";
import { type Paint, Stage } from "./stage.ts";

const PASSWORD = /password: (\S+)/;
/** With the exit status a shell expects of a program that such a signal ended. */
const SIGNALS = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;
const NEXT = `
What next:
  npm start                the service itself, its data in ./data; then "First steps" in README.md
  docs/signing.md          a signed call from a program of your own
  docs/api.md              every route; the running service shows them at /docs
  docs/operations.md       a real installation`;

/** Colour on a terminal only; `NO_COLOR` and `FORCE_COLOR` decide otherwise. */
const paint: Paint = (style, text) => styleText(style, text, { stream: process.stdout });

async function tour(): Promise<void> {
	const walk = await loadWalk();
	using folder = temporaryFolder();
	const dataDir = join(folder.path, "data");
	const [port, httpsPort] = await freePorts(2);
	const settings = { LATCHKEY_PORT: String(port), LATCHKEY_HTTPS_PORT: String(httpsPort) };
	const spawned = spawnProgram(["serve"], { env: { ...settings, LATCHKEY_DATA_DIR: dataDir } });
	cleanUpAtSignals(spawned, folder);
	console.log("A service of its own, in a folder that is removed afterwards. Answers are shortened.\n");
	console.log(paint("cyan", `$ LATCHKEY_PORT=${port} LATCHKEY_HTTPS_PORT=${httpsPort} npm start`));
	try {
		const program = await whenReady(spawned);
		console.log(program.stdout().trimEnd());
		const stage = new Stage(program, (line) => console.log(line), paint);
		const adminPassword = PASSWORD.exec(program.stdout())?.[1] ?? "";
		await walk({ stage, dataDir, adminPassword });
		program.kill("SIGTERM");
		const { code } = await program.exited;
		if (code !== 0) throw new Error(`the service ended with ${code}`);
	} catch (error) {
		console.error(spawned.stderr());
		throw error;
	} finally {
		await spawned.end();
	}
}

/** @throws Error that says what to do when only the packages of a production installation are there. */
async function loadWalk(): Promise<typeof import("./walk.ts").walk> {
	try {
		return (await import("./walk.ts")).walk;
	} catch (error) {
		const missing = /^Cannot find package '([^']+)'/.exec(error instanceof Error ? error.message : "")?.[1];
		if (missing === undefined) throw error;
		throw new Error(
			`the package ${missing} is not installed: the tour needs the development packages, run npm ci without --omit=dev`,
		);
	}
}

/** A terminal sends Ctrl-C to the service too; other senders do not. */
function cleanUpAtSignals(program: Program, folder: Disposable): void {
	for (const [signal, status] of Object.entries(SIGNALS)) {
		process.once(signal, async () => {
			await program.end();
			folder[Symbol.dispose]();
			console.error(`\ntour: stopped by ${signal}; the service has ended and its folder is removed`);
			process.exit(status);
		});
	}
}

const started = performance.now();
try {
	await tour();
	const seconds = ((performance.now() - started) / 1000).toFixed(1);
	console.log(`\n${paint("green", `All of it works, in ${seconds} s.`)}\n${NEXT}`);
} catch (error) {
	console.error(`tour: ${error instanceof Error ? error.message : String(error)}`);
	process.exitCode = 1;
}
