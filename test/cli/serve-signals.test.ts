import assert from "node:assert/strict";
import { once } from "node:events";
import { existsSync, mkdirSync, renameSync, symlinkSync } from "node:fs";
import http from "node:http";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { describe, test } from "node:test";
import { makeCertificate, putCertificate, shownName } from "../harness/certificate.ts";
import { temporaryFolder } from "../harness/folder.ts";
import { ownSettings, type ReadyProgram, spawnProgram, startProgram } from "../harness/program.ts";

const BODY = JSON.stringify({
	applicant_name: "Ada Lovelace",
	email: "ada@partner.example",
	project_name: "Engine",
	purpose: "To compute Bernoulli numbers.",
});

/** Runs `work` against a service of its own, which is gone afterwards. */
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

/** A request whose body has only begun to arrive; the service has seen its head. */
async function beginRequest(program: ReadyProgram): Promise<{ socket: Socket; answer: Promise<string> }> {
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
	return { socket, answer };
}

async function refusesConnections(program: ReadyProgram): Promise<boolean> {
	try {
		await fetch(`${program.httpUrl}/health`);
		return false;
	} catch {
		return true;
	}
}

describe("SIGTERM", () => {
	test("ends an idle service at once with 0, also with keep-alive connections", async () => {
		await withProgram(async (program) => {
			const agent = new http.Agent({ keepAlive: true });
			const request = http.get(`${program.httpUrl}/health`, { agent });
			const [response] = (await once(request, "response")) as [http.IncomingMessage];
			response.resume();
			await once(response, "end");
			const silent = connect(Number(new URL(program.httpUrl).port), "127.0.0.1");
			await once(silent, "connect");
			const asked = Date.now();
			program.kill("SIGTERM");
			const { code, stderr } = await program.exited;
			agent.destroy();
			silent.destroy();
			assert.equal(code, 0);
			assert.ok(Date.now() - asked < 3_000);
			assert.doesNotMatch(stderr, /"level":[56]0/);
		});
	});

	test("lets a running request finish, and takes no new one", async () => {
		await withProgram(async (program, folder) => {
			const { socket, answer } = await beginRequest(program);
			program.kill("SIGTERM");
			while (!(await refusesConnections(program))) await new Promise((resolve) => setTimeout(resolve, 10));
			const sent = Date.now();
			socket.write(BODY);
			assert.match(await answer, /HTTP\/1\.1 201 /);
			assert.equal((await program.exited).code, 0);
			assert.ok(Date.now() - sent < 3_000, "and ends right after it, though the connection was kept alive");
			assert.equal(existsSync(join(folder, "data/latchkey.db-wal")), false);
		});
	});

	test("cuts a request that never ends, within ten seconds, and still ends with 0", async () => {
		await withProgram(async (program) => {
			const { answer } = await beginRequest(program);
			const asked = Date.now();
			program.kill("SIGTERM");
			const { code } = await program.exited;
			const seconds = (Date.now() - asked) / 1_000;
			assert.equal(code, 0);
			assert.ok(seconds > 8 && seconds < 10, `took ${seconds} s`);
			assert.doesNotMatch(await answer, /HTTP\/1\.1 [245]/);
		});
	});

	test("twice, or with SIGINT, is the same as once", async () => {
		await withProgram(async (program) => {
			const { socket, answer } = await beginRequest(program);
			program.kill("SIGINT");
			program.kill("SIGINT");
			program.kill("SIGTERM");
			while (!(await refusesConnections(program))) await new Promise((resolve) => setTimeout(resolve, 10));
			socket.write(BODY);
			assert.match(await answer, /HTTP\/1\.1 201 /);
			assert.equal((await program.exited).code, 0);
		});
	});

	test("during a first start ends clean, and the password is shown by one start or the other", async () => {
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
	test("says stopping and stopped, and that a probe of /health meanwhile is no error", async () => {
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
				assert.ok(ms >= 1_000 && ms < 10_000, `${ms} ms`);
				const stopping = lines.find((line) => line.msg === "stopping");
				assert.deepEqual([stopping.signal, stopping.drain_seconds], ["SIGTERM", 1]);
			},
			() => ({ LATCHKEY_DRAIN_SECONDS: "1" }),
		);
	});
});

describe("SIGHUP", () => {
	test("uses a new certificate for new connections; a bad pair keeps the old one", async () => {
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
});

describe("a replaced certificate", () => {
	test("is served without a signal, also when a link is turned to another folder", async () => {
		using root = temporaryFolder();
		const [first, second] = await Promise.all([makeCertificate("first"), makeCertificate("second")]);
		for (const [name, pair] of [
			["one", first],
			["two", second],
		] as const) {
			mkdirSync(join(root.path, name));
			putCertificate(join(root.path, name), pair);
		}
		// As Kubernetes mounts a Secret: the files are links through a folder that is itself a link.
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
	test("by an unhandled rejection is one line of the log, and exit status 70", async () => {
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
