#!/usr/bin/env node
// Starts the program: its TypeScript sources in a checkout, its compiled code in a package (Node strips no types under
// node_modules) and in an image. An older Node runs it on the Node that npm installed with the package.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import module from "node:module";
import { fileURLToPath } from "node:url";

/** Half of the memory that load adds is room for new objects; V8 reads its limit only when the process starts. */
const YOUNG_GENERATION = "--max-semi-space-size=8";
/** The process that started this one and ends with it: `src/cli/process-events.ts` watches it. */
const LAUNCHER = "LK_LAUNCHER_PID";

// Without a listener, SIGUSR1 opens the debugger of Node to every user of the machine, and SIGUSR2 ends the process.
// (With --disable-sigusr1, Node blocks the signal: nothing could log it.)
if (process.platform !== "win32")
	for (const signal of ["SIGUSR1", "SIGUSR2"]) process.on(signal, () => undefined);

/** The Node of the package; an older one runs the program only if npm installed none. */
const OWN_MAJOR = 26;
const MAJOR_MIN = 24;

const [major] = process.versions.node.split(".").map(Number);
const installed = major < OWN_MAJOR ? findInstalledNode() : undefined;
if (installed === undefined && major >= MAJOR_MIN) {
	if (process.argv[2] === "serve") limitYoungGeneration();
	// Keep the cache beside the program, where only its owner can write. The default is a directory in the shared /tmp,
	// where another user could plant code before the first start.
	module.enableCompileCache(fileURLToPath(new URL("../node_modules/.cache/latchkey", import.meta.url)));
	const isCheckout = existsSync(new URL("../src/main.ts", import.meta.url));
	await import(isCheckout ? "../src/main.ts" : "../dist/main.js");
} else if (installed !== undefined) runOn(installed);
else {
	console.error(
		`latchkey needs Node 24 or later, this is ${process.version}, and npm installed none for ${process.platform}-${process.arch}`,
	);
	process.exit(1);
}

/**
 * Replaces the process, which keeps its id, once, unless `bin/latchkey` or the image gave the limit. An operator's own limit
 * wins.
 */
function limitYoungGeneration() {
	const options = [process.env.NODE_OPTIONS, ...process.execArgv].join(" ");
	if (/semi[-_]space[-_]size/.test(options)) return;
	// Windows cannot replace a process, and the channel of a parent such as pm2 would close.
	if (process.platform === "win32" || process.channel !== undefined) return;
	const parameters = [...process.execArgv, YOUNG_GENERATION, ...process.argv.slice(1)];
	process.execve(process.execPath, [process.argv0, ...parameters]);
}

/** A newer one replaces this process, which keeps its id, unless a parent such as pm2 would lose its channel. */
function runOn(node) {
	const canReplace = major >= MAJOR_MIN && process.platform !== "win32" && process.channel === undefined;
	// Without the options of this Node: they belong to its version.
	if (canReplace) process.execve(node, [node, ...process.argv.slice(1)]);
	const env = { ...process.env, [LAUNCHER]: String(process.pid) };
	const child = spawn(node, process.argv.slice(1), { stdio: "inherit", env });
	for (const signal of ["SIGTERM", "SIGHUP", "SIGINT"])
		process.on(signal, () => {
			// A terminal sends SIGINT to both processes; a second one would end the service at once.
			if (signal !== "SIGINT" || !process.stdin.isTTY) child.kill(signal);
		});
	child.on("exit", (code, signal) => {
		if (signal === null) process.exit(code);
		process.removeAllListeners(signal);
		process.kill(process.pid, signal);
	});
}

function findInstalledNode() {
	const { platform, arch } = process;
	const file = platform === "win32" ? "bin/node.exe" : "bin/node";
	const system = platform === "win32" ? "win" : platform;
	for (const name of [`node-${system}-${arch}`, `node-bin-${system}-${arch}`]) {
		try {
			return module.createRequire(import.meta.url).resolve(`${name}/${file}`);
		} catch {
			// The package of another platform, which npm did not install.
		}
	}
	return undefined;
}
