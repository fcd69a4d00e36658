import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import http from "node:http";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { describe, test } from "node:test";
import { makeCertificate, putCertificate, shownName } from "../harness/certificates/certificate.ts";
import { olderNode } from "../harness/processes/older-node.ts";
import {
	freePorts,
	ownSettings,
	type ReadyProgram,
	spawnProgram,
	startProgram,
} from "../harness/processes/program.ts";
import { createProgramClient } from "../harness/processes/program-client.ts";
import { temporaryFolder } from "../harness/runs/folder.ts";

const BODY = JSON.stringify({
	applicant_name: "Ada Lovelace",
	email: "ada@partner.example",
	project_name: "Engine",
	purpose: "To compute Bernoulli numbers.",
});

/** After this time, a stop closes connections with running requests: `src/app/stop-service.ts`. */
const STOP_GRACE_MS = 9_000;

/** The duration of a stop according to the service's log. */
function stopMs(log: string): number {
	const [, ms] = /"ms":(\d+),?[^\n]*"msg":"stopped"/.exec(log) ?? assert.fail(log);
	return Number(ms);
}

/** Runs `work` against a separate service and stops it afterwards. */
async function withProgram(
	work: (program: ReadyProgram, folder: string) => Promise<void>,
	settings: (folder: string) => Record<string, string> = () => ({}),
): Promise<void> {
	using folder = temporaryFolder();
	const env = { ...(await ownSettings(join(folder.path, "data"))), ...settings(folder.path) };
	const program = await startProgram({ env });
	try {
		await work(program, folder.path);
	} finally {
		await program.end();
	}
}

/** A request whose headers have arrived, but not its whole body. */
async function beginRequest(program: ReadyProgram): Promise<{ socket: Socket; response: Promise<string> }> {
	const socket = connect(Number(new URL(program.httpUrl).port), "127.0.0.1");
	await once(socket, "connect");
	let text = "";
	socket.setEncoding("utf8").on("data", (chunk: string) => {
		text += chunk;
	});
	const answer = once(socket, "close").then(() => text);
	socket.write(
		`POST /api/v1/access-requests HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nExpect: 100-continue\r\nContent-Length: ${Buffer.byteLength(BODY)}\r\n\r\n`,
	);
	while (!text.includes("100 Continue")) await once(socket, "data");
	return { socket, response: answer };
}

async function refusesConnections(program: ReadyProgram): Promise<boolean> {
	try {
		await fetch(`${program.httpUrl}/health`);
		return false;
	} catch {
		return true;
	}
}

function accepts(port: number): Promise<boolean> {
	return new Promise((resolve) => {
		const socket = connect(port, "127.0.0.1", () => {
			socket.destroy();
			resolve(true);
		}).on("error", () => resolve(false));
	});
}

describe("SIGTERM", () => {
	test("ends an idle service with 0, without waiting for open connections", async () => {
		await withProgram(async (program) => {
			const agent = new http.Agent({ keepAlive: true });
			const request = http.get(`${program.httpUrl}/health`, { agent });
			const [response] = (await once(request, "response")) as [http.IncomingMessage];
			response.resume();
			await once(response, "end");
			const silent = connect(Number(new URL(program.httpUrl).port), "127.0.0.1");
			await once(silent, "connect");
			program.kill("SIGTERM");
			const { code, stderr } = await program.exited;
			agent.destroy();
			silent.destroy();
			assert.equal(code, 0);
			assert.ok(stopMs(stderr) < STOP_GRACE_MS, "the stop does not wait for connections without a request");
			assert.doesNotMatch(stderr, /"level":[56]0/);
		});
	});

	test("waits for a running request and accepts no new one; later signals and SIGINT do the same", async () => {
		await withProgram(async (program, folder) => {
			const { socket, response: answer } = await beginRequest(program);
			program.kill("SIGINT");
			program.kill("SIGINT");
			program.kill("SIGTERM");
			while (!(await refusesConnections(program))) await new Promise((resolve) => setTimeout(resolve, 10));
			socket.write(BODY);
			assert.match(await answer, /HTTP\/1\.1 201 /);
			const { code, stderr } = await program.exited;
			assert.equal(code, 0);
			assert.ok(stopMs(stderr) < STOP_GRACE_MS, "the kept connection is closed after the response");
			assert.equal(existsSync(join(folder, "data/latchkey.db-wal")), false);
		});
	});

	test("after nine seconds, aborts a request that never ends, and exits with 0", async () => {
		await withProgram(async (program) => {
			const { response: answer } = await beginRequest(program);
			program.kill("SIGTERM");
			// Exit status 0 also bounds the duration: a stop of 9.9 s exits with 1.
			const { code, stderr } = await program.exited;
			assert.equal(code, 0);
			assert.ok(stopMs(stderr) >= STOP_GRACE_MS, `${stopMs(stderr)} ms`);
			assert.doesNotMatch(await answer, /HTTP\/1\.1 [245]/);
		});
	});

	test("during a first start exits with 0, and one of two starts prints the password", async () => {
		using folder = temporaryFolder();
		const env = await ownSettings(join(folder.path, "data"));
		const program = spawnProgram(["serve"], { env });
		try {
			await program.printed(/master\.key/);
			program.kill("SIGTERM");
			const { code, stdout } = await program.exited;
			assert.equal(code, 0);
			const again = await startProgram({ env });
			await again.end();
			const shown = (stdout + again.stdout()).match(/password: /g) ?? [];
			assert.equal(shown.length, 1);
		} finally {
			await program.end();
		}
	});
});

describe("a planned stop", () => {
	test("logs its start and end, and returns 503 from /health without logging an error", async () => {
		await withProgram(
			async (program) => {
				program.kill("SIGTERM");
				await program.printed(/"msg":"stopping"/);
				const answer = await fetch(`${program.httpUrl}/health`);
				assert.equal(answer.status, 503);
				assert.match(await answer.text(), /"status":"stopping"/);
				const { code, stderr } = await program.exited;
				assert.equal(code, 0);
				const lines = stderr
					.trimEnd()
					.split("\n")
					.map((line) => JSON.parse(line));
				assert.deepEqual(
					lines.filter(({ level }) => level >= 50),
					[],
				);
				const { msg, signal, ms } = lines.at(-1);
				assert.deepEqual([msg, signal], ["stopped", "SIGTERM"]);
				assert.ok(ms >= 1_000, `${ms} ms`);
				const stopping = lines.find((line) => line.msg === "stopping");
				assert.deepEqual([stopping.signal, stopping.drain_seconds], ["SIGTERM", 1]);
			},
			() => ({ LATCHKEY_DRAIN_SECONDS: "1" }),
		);
	});
});

describe("SIGHUP", () => {
	test("serves a new certificate to new connections, and keeps the old one if the new pair is invalid", async () => {
		using certificates = temporaryFolder();
		const [first, second, expired] = await Promise.all([
			makeCertificate("first"),
			makeCertificate("second"),
			makeCertificate("expired", -1),
		]);
		const files = putCertificate(certificates.path, first);
		await withProgram(
			async (program) => {
				assert.equal(await shownName(program.httpsUrl), "first");
				putCertificate(certificates.path, second);
				program.kill("SIGHUP");
				await program.printed(/certificate reloaded/);
				assert.equal(await shownName(program.httpsUrl), "second");
				putCertificate(certificates.path, { cert: first.cert, key: second.key });
				program.kill("SIGHUP");
				await program.printed(/do not belong together.*certificate not reloaded/);
				putCertificate(certificates.path, expired);
				program.kill("SIGHUP");
				await program.printed(/expired at.*certificate not reloaded/);
				assert.equal(await shownName(program.httpsUrl), "second");
				assert.doesNotMatch(program.stderr(), /"stack"|\\n +at /);
			},
			() => ({ LATCHKEY_TLS_CERT: files.certFile, LATCHKEY_TLS_KEY: files.keyFile }),
		);
	});

	test("reaches a self-signed receiver on this machine as webhooks.md describes, and ignores the networks of an invalid file", async () => {
		const guide = readFileSync(new URL("../../docs/webhooks.md", import.meta.url), "utf8");
		const section = guide.split("## Receive on your own machine")[1]?.split("\n## ")[0] ?? "";
		const commands = [...section.matchAll(/```console\n([\s\S]*?)```/g)].map(([, text = ""]) =>
			text.replace(/^\$ /gm, ""),
		);
		const code = /```js\n([\s\S]*?)```/.exec(section)?.[1] ?? "";
		await withProgram(
			async (program, folder) => {
				const lines = commands[1]?.split("\n").filter((line) => !line.startsWith("kill")) ?? [];
				const run = (command: string) => execFileSync("sh", ["-c", command], { cwd: folder, stdio: "pipe" });
				const [port = 0] = await freePorts(1);
				const client = createProgramClient(program);
				const password = /password: (\S+)/.exec(program.stdout())?.[1] ?? "";
				const token = await client.signIn(password);
				const body = { url: `https://127.0.0.1:${port}/`, event_types: ["user.*"] };
				const add = () => client.call("POST", "/api/v1/webhooks", { token, body });
				assert.equal((await add()).status, 400);

				run(lines.join("\n"));
				program.kill("SIGHUP");
				await program.printed(/certificate authorities reloaded[\s\S]*webhook networks reloaded/);
				writeFileSync(join(folder, "receiver.mjs"), code.replace("9443", String(port)));
				const receiver = spawn(process.execPath, ["receiver.mjs"], { cwd: folder });
				try {
					const received = once(receiver.stdout, "data");
					while (!(await accepts(port))) await new Promise((next) => setTimeout(next, 20));
					const created = await add();
					assert.equal(created.status, 201, JSON.stringify(created.body));
					const path = `/api/v1/webhooks/${created.body.data.id}`;
					assert.equal((await client.call("POST", `${path}/test`, { token })).status, 202);
					assert.match(String(await received), /"type":"webhook\.test"/);
				} finally {
					receiver.kill();
				}

				writeFileSync(join(folder, "latchkey.conf"), "LATCHKEY_WEBHOOK_ALLOWED_NETWORKS=everything\n");
				program.kill("SIGHUP");
				await program.printed(/WEBHOOK_ALLOWED_NETWORKS.*webhook networks not reloaded/);
				assert.equal((await add()).status, 201);
				writeFileSync(join(folder, "latchkey.conf"), "");
				program.kill("SIGHUP");
				await program.printed(/(webhook networks reloaded[\s\S]*){2}/);
				assert.equal((await add()).status, 400);
				client.close();
			},
			(folder) => {
				for (const name of ["latchkey.conf", "authorities.pem"]) writeFileSync(join(folder, name), "");
				return {
					LATCHKEY_CONFIG: join(folder, "latchkey.conf"),
					NODE_EXTRA_CA_CERTS: join(folder, "authorities.pem"),
				};
			},
		);
	});
});

describe("SIGUSR1 and SIGUSR2", () => {
	test("are logged and ignored: no debugger opens, and the service continues", async () => {
		using folder = temporaryFolder();
		const [inspector = 0] = await freePorts(1);
		const env = await ownSettings(join(folder.path, "data"));
		const program = await startProgram({ env, nodeOptions: [`--inspect-port=${inspector}`] });
		try {
			for (const signal of ["SIGUSR1", "SIGUSR2"] as const) {
				program.kill(signal);
				await program.printed(new RegExp(`"signal":"${signal}".*"msg":"signal ignored`));
			}
			assert.equal((await fetch(`${program.httpUrl}/health`)).status, 200);
			assert.equal(await accepts(inspector), false);
			assert.doesNotMatch(program.stderr(), /Debugger listening/);
		} finally {
			await program.end();
		}
	});
});

describe("a service that a launcher started", {
	skip: olderNode === undefined && "no Node before 24 in the path",
}, () => {
	test("stops when the launcher is killed, and leaves the directory to the next start", async () => {
		using folder = temporaryFolder();
		const env = await ownSettings(join(folder.path, "data"));
		const launched = await startProgram({ env, node: olderNode ?? "" });
		launched.kill("SIGUSR1");
		launched.kill("SIGUSR2");
		assert.equal((await fetch(`${launched.httpUrl}/health`)).status, 200);
		launched.kill("SIGKILL");
		// The output closes when the service has ended, too.
		const { stderr } = await launched.exited;
		assert.match(stderr, /"signal":"launcher ended".*"msg":"stopping"/);
		assert.doesNotMatch(stderr, /Debugger listening/);
		const next = await startProgram({ env });
		await next.end();
	});
});

describe("a replaced certificate", () => {
	test("is served without a signal, even if only a symbolic link changes", async () => {
		using root = temporaryFolder();
		const [first, second] = await Promise.all([makeCertificate("first"), makeCertificate("second")]);
		for (const [name, pair] of [
			["one", first],
			["two", second],
		] as const) {
			mkdirSync(join(root.path, name));
			putCertificate(join(root.path, name), pair);
		}
		// As Kubernetes mounts a Secret: the files are links into a folder that is itself a link.
		const current = join(root.path, "current");
		symlinkSync("one", current);
		await withProgram(
			async (program) => {
				assert.equal(await shownName(program.httpsUrl), "first");
				symlinkSync("two", join(root.path, "next"));
				renameSync(join(root.path, "next"), current);
				await program.printed(/certificate reloaded/);
				assert.equal(await shownName(program.httpsUrl), "second");
			},
			() => ({ LATCHKEY_TLS_CERT: join(current, "cert.pem"), LATCHKEY_TLS_KEY: join(current, "key.pem") }),
		);
	});
});

describe("a crash", () => {
	test("on an unhandled rejection writes one line to the log and exits with 70", async () => {
		using folder = temporaryFolder();
		const fault = 'process.on("SIGUSR2", () => { Promise.reject(new Error("an uncaught rejection")); });';
		const program = await startProgram({
			env: { ...(await ownSettings(folder.path)), LATCHKEY_LOG_LEVEL: "fatal" },
			nodeOptions: ["--import", `data:text/javascript,${encodeURIComponent(fault)}`],
		});
		try {
			program.kill("SIGUSR2");
			const { code, stderr } = await program.exited;
			assert.equal(code, 70);
			const lines = stderr.trimEnd().split("\n");
			assert.equal(lines.length, 1);
			const line = JSON.parse(lines[0] ?? "");
			assert.equal(line.msg, "crashed");
			assert.equal(line.err.message, "an uncaught rejection");
		} finally {
			await program.end();
		}
	});
});
