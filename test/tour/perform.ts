// Runs a tour: starts a temporary service, prints each step, and always cleans up.

import { join } from "node:path";
import { styleText } from "node:util";
import { freePorts, type Program, spawnProgram, whenReady } from "../harness/processes/program.ts";
import { temporaryFolder } from "../harness/runs/folder.ts";
import { type Paint, Stage } from "./stage.ts";

const PASSWORD = /password: (\S+)/;
/** Signals with the exit status that shells expect. */
const SIGNALS = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;

export interface Setting {
	readonly stage: Stage;
	readonly dataDir: string;
	/** Settings of the service, for commands on its installation. */
	readonly env: Readonly<Record<string, string>>;
	/** Of the first admin. */
	readonly adminPassword: string;
	/** Kills the service with SIGKILL, calls `meanwhile`, and starts it again at the same ports. */
	crash(meanwhile: () => Promise<void>): Promise<void>;
}

export interface Play {
	/** Settings of the service besides its folder and ports. */
	readonly settings: Readonly<Record<string, string>>;
	/** @throws Error naming the step that failed. */
	run(setting: Setting): Promise<void>;
	close(): Promise<void>;
}

/** Colors only on a terminal, unless `NO_COLOR` or `FORCE_COLOR` is set. */
const paint: Paint = (style, text) => styleText(style, text, { stream: process.stdout });

/**
 * Sets the exit status.
 *
 * @param load imports the tour, which needs development packages that may be missing.
 * @param next printed after a success.
 */
export async function perform(load: () => Promise<Play>, next: string): Promise<void> {
	const started = performance.now();
	try {
		const play = await loadPlay(load);
		try {
			await serveAndRun(play);
		} finally {
			await play.close();
		}
		const seconds = ((performance.now() - started) / 1000).toFixed(1);
		console.log(`\n${paint("green", `Every step succeeded in ${seconds} s.`)}\n${next}`);
	} catch (error) {
		console.error(`tour: ${error instanceof Error ? error.message : String(error)}`);
		process.exitCode = 1;
	}
}

async function serveAndRun({ settings, run }: Play): Promise<void> {
	using folder = temporaryFolder();
	const dataDir = join(folder.path, "data");
	const [port, httpsPort] = await freePorts(2);
	const printed = { LATCHKEY_PORT: String(port), LATCHKEY_HTTPS_PORT: String(httpsPort), ...settings };
	const env = { ...printed, LATCHKEY_DATA_DIR: dataDir };
	let spawned = spawnProgram(["serve"], { env });
	cleanUpAtSignals(() => spawned, folder);
	console.log(
		"This tour runs a temporary service in a folder that is removed afterward. Responses are shortened.\n",
	);
	const assignments = Object.entries(printed).map(([name, value]) => `${name}=${value}`);
	console.log(paint("cyan", `$ ${assignments.join(" ")} npm start`));
	try {
		const program = await whenReady(spawned);
		console.log(program.stdout().trimEnd());
		const stage = new Stage(program, (line) => console.log(line), paint);
		const adminPassword = PASSWORD.exec(program.stdout())?.[1] ?? "";
		const crash = async (meanwhile: () => Promise<void>): Promise<void> => {
			await spawned.end();
			await meanwhile();
			spawned = spawnProgram(["serve"], { env });
			await whenReady(spawned);
		};
		await run({ stage, dataDir, env, adminPassword, crash });
		spawned.kill("SIGTERM");
		const { code } = await spawned.exited;
		if (code !== 0) throw new Error(`the service ended with ${code}`);
	} catch (error) {
		console.error(spawned.stderr());
		throw error;
	} finally {
		await spawned.end();
	}
}

/** @throws Error with instructions if the development packages are missing */
async function loadPlay(load: () => Promise<Play>): Promise<Play> {
	try {
		return await load();
	} catch (error) {
		const missing = /^Cannot find package '([^']+)'/.exec(error instanceof Error ? error.message : "")?.[1];
		if (missing === undefined) throw error;
		throw new Error(
			`the package ${missing} is not installed: the tour needs the development packages, run npm ci without --omit=dev`,
		);
	}
}

/** Stops the service, which only a terminal's Ctrl-C reaches directly. */
function cleanUpAtSignals(program: () => Program, folder: Disposable): void {
	for (const [signal, status] of Object.entries(SIGNALS)) {
		process.once(signal, async () => {
			await program().end();
			folder[Symbol.dispose]();
			console.error(`\ntour: stopped by ${signal}; the service has ended and its folder is removed`);
			process.exit(status);
		});
	}
}
