// `npm run tour`: starts a service of its own, walks the main job end to end and prints each step.

import { join } from "node:path";
import { temporaryFolder } from "../harness/folder.ts";
import { freePorts, startProgram } from "../harness/program.ts";
import { Stage } from "./stage.ts";
import { walk } from "./walk.ts";

const PASSWORD = /password: (\S+)/;

async function tour(): Promise<void> {
	using folder = temporaryFolder();
	const dataDir = join(folder.path, "data");
	const [port, httpsPort] = await freePorts(2);
	const settings = { LATCHKEY_PORT: String(port), LATCHKEY_HTTPS_PORT: String(httpsPort) };
	console.log("A service of its own, in a folder that is removed afterwards. Answers are shortened.\n");
	console.log(`$ LATCHKEY_PORT=${port} LATCHKEY_HTTPS_PORT=${httpsPort} npm start`);
	const program = await startProgram({ env: { ...settings, LATCHKEY_DATA_DIR: dataDir } });
	try {
		console.log(program.stdout().trimEnd());
		const stage = new Stage(program, (line) => console.log(line));
		const adminPassword = PASSWORD.exec(program.stdout())?.[1] ?? "";
		await walk({ stage, dataDir, adminPassword });
		program.kill("SIGTERM");
		const { code } = await program.exited;
		if (code !== 0) throw new Error(`the service ended with ${code}`);
	} catch (error) {
		console.error(program.stderr());
		throw error;
	} finally {
		await program.end();
	}
}

const started = performance.now();
try {
	await tour();
	console.log(`\nAll of it works, in ${((performance.now() - started) / 1000).toFixed(1)} s.`);
} catch (error) {
	console.error(`tour: ${error instanceof Error ? error.message : String(error)}`);
	process.exitCode = 1;
}
