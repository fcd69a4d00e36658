// The eight programs of docs/packages.md that protect an API with a gate, run as the guide shows them.

import assert from "node:assert/strict";
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import {
	cpSync,
	existsSync,
	mkdirSync,
	readdirSync,
	readFileSync,
	symlinkSync,
	writeFileSync,
} from "node:fs";
import { connect, createServer, type Server, type Socket } from "node:net";
import { dirname, join, resolve } from "node:path";
import { after, before, describe, test } from "node:test";
import { sign, signedFetch } from "../../packages/client/src/index.ts";
import { compileClient } from "../../scripts/build-packages.ts";
import { filesIn } from "../../scripts/pages/guide-code.ts";
import {
	APPLICATIONS,
	addApiClient,
	addApplication,
	addRole,
	putGrant,
} from "../harness/access/applications.ts";
import { BEHIND_PROXY, browserCookie, serviceToken } from "../harness/access/gate-calls.ts";
import { addGate } from "../harness/access/gates.ts";
import { firstResponse } from "../harness/openid/example-program.ts";
import { putOAuthClient } from "../harness/openid/oauth-clients.ts";
import { addPerson } from "../harness/people/people.ts";
import { freePorts } from "../harness/processes/program.ts";
import { temporaryFolder } from "../harness/runs/folder.ts";
import { startTestService, type TestService } from "../harness/service/service.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const GUIDE = readFileSync(join(ROOT, "docs/packages.md"), "utf8");
const FILES = filesIn(GUIDE);
/** Debian's, which has FastAPI and Flask. */
const PYTHON = "/usr/bin/python3";
const CHI = "/usr/share/gocode/src/github.com/go-chi/chi";
const SERVERS = join(ROOT, "test/parties/servers/node_modules");
const NEXT = join(ROOT, "test/parties/nextjs/node_modules");
/** What a proxy that terminates TLS adds. */
const PROXY_HEADERS = { "x-forwarded-proto": "https", "x-forwarded-for": "203.0.113.7" };
const NEXT_FILES = ["app/orders/gate.ts", "app/orders/route.ts", "app/orders/[id]/route.ts"];

interface Program {
	readonly name: string;
	readonly files: readonly string[];
	/** `false`, or the reason to skip. */
	readonly skip: false | string;
	/** @returns the command that serves the program */
	prepare(folder: string, env: NodeJS.ProcessEnv): readonly string[];
}

/** With `CI` set, a missing package is a failure. */
function without(found: boolean, what: string): false | string {
	return process.env.CI !== undefined || found ? false : `no ${what} here`;
}

function runs(command: string, ...args: string[]): boolean {
	try {
		execFileSync(command, args, { stdio: "ignore" });
		return true;
	} catch {
		return false;
	}
}

const node = (file: string, found: boolean): Program => ({
	name: file,
	files: [file],
	skip: without(found, "packages of test/parties/servers"),
	prepare: () => [process.execPath, file],
});

const go = (file: string): Program => ({
	name: file,
	files: [file],
	skip: without(runs("go", "version") && existsSync(CHI), "Go with chi"),
	prepare(folder, env) {
		const chi = `github.com/go-chi/chi/v5 => ${CHI}\n`;
		writeFileSync(
			join(folder, "go.mod"),
			`module example\n\ngo 1.19\n\nreplace latchkey-go => ${join(ROOT, "packages/go")}\nreplace ${chi}` +
				"require latchkey-go v0.3.0\nrequire github.com/go-chi/chi/v5 v5.0.7\n",
		);
		execFileSync("go", ["build", "-o", `${file}.out`, file], { cwd: folder, env, stdio: "pipe" });
		return [join(folder, `${file}.out`)];
	},
});

const PROGRAMS: readonly Program[] = [
	node("express-gate.mjs", true),
	node("fastify-gate.mjs", true),
	node("hono-gate.mjs", existsSync(join(SERVERS, "hono"))),
	{
		name: "app/orders/route.ts",
		files: NEXT_FILES,
		skip: without(existsSync(join(NEXT, "next")), "packages of test/parties/nextjs"),
		prepare: prepareNext,
	},
	{
		name: "fastapi_gate.py",
		files: ["fastapi_gate.py"],
		skip: without(runs(PYTHON, "-c", "import fastapi, uvicorn"), "FastAPI"),
		prepare: (_, { PORT = "" }) => [PYTHON, "-m", "uvicorn", "fastapi_gate:app", "--port", PORT],
	},
	{
		name: "flask_gate.py",
		files: ["flask_gate.py"],
		skip: without(runs(PYTHON, "-c", "import flask"), "Flask"),
		prepare: (_, { PORT = "" }) => [PYTHON, "-m", "flask", "--app", "flask_gate", "run", "--port", PORT],
	},
	go("net_http_gate.go"),
	go("chi_gate.go"),
];

/** The packages of Next.js, with ours among them, in a folder that its bundler may follow. */
function prepareNext(folder: string, env: NodeJS.ProcessEnv): readonly string[] {
	for (const [file, text] of Object.entries({
		"app/layout.js": "export default function Layout({ children }) {\n\treturn children;\n}\n",
		"next.config.mjs": 'export default { turbopack: { root: "/" } };\n',
		"tsconfig.json": JSON.stringify({
			compilerOptions: {
				lib: ["dom", "esnext"],
				strict: true,
				noEmit: true,
				allowJs: true,
				skipLibCheck: true,
				module: "esnext",
				moduleResolution: "bundler",
				jsx: "react-jsx",
			},
			include: ["**/*.ts"],
			exclude: ["node_modules"],
		}),
	}))
		writeFileSync(join(folder, file), text);
	const next = join(NEXT, "next/dist/bin/next");
	execFileSync(process.execPath, [next, "build"], { cwd: folder, env, stdio: "pipe" });
	return [process.execPath, next, "start", "--port", env.PORT ?? "", "--hostname", "127.0.0.1"];
}

/** Forwards to the service until it is switched off. */
class Switch implements AsyncDisposable {
	readonly url: string;
	readonly #server: Server;
	readonly #sockets = new Set<Socket>();
	isOn = true;

	private constructor(server: Server, port: number) {
		this.#server = server;
		this.url = `http://127.0.0.1:${port}`;
	}

	static async start(target: URL): Promise<Switch> {
		const server = createServer();
		const [port = 0] = await freePorts(1);
		const started = new Switch(server, port);
		server.on("connection", (socket) => started.#forward(socket, target));
		server.listen(port, "127.0.0.1");
		await once(server, "listening");
		return started;
	}

	#forward(socket: Socket, { hostname, port }: URL): void {
		if (!this.isOn) return void socket.destroy();
		const inner = connect(Number(port), hostname);
		socket.pipe(inner).pipe(socket);
		for (const end of [socket, inner]) {
			this.#sockets.add(end);
			end.on("error", () => [socket.destroy(), inner.destroy()]);
			end.on("close", () => this.#sockets.delete(end));
		}
	}

	turnOff(): void {
		this.isOn = false;
		for (const socket of this.#sockets) socket.destroy();
	}

	async [Symbol.asyncDispose](): Promise<void> {
		this.turnOff();
		this.#server.close();
	}
}

describe("programs behind a gate", { timeout: 600_000 }, () => {
	const closing = new AsyncDisposableStack();
	let service: TestService;
	let compiled: string;
	before(async () => {
		service = await startTestService({ env: BEHIND_PROXY });
		closing.defer(() => service.stop());
		compiled = closing.use(temporaryFolder()).path;
		compileClient(join(compiled, "dist"));
		cpSync(join(ROOT, "packages/client/package.json"), join(compiled, "package.json"));
	});
	after(() => closing.disposeAsync());

	/** The API of the guide, with a caller of each kind. */
	async function shop() {
		const { id } = await addApplication(service);
		await addRole(service, id, "reader", ["orders:read"]);
		await addRole(service, id, "writer", ["orders:*"]);
		const resource = `https://orders.example/${id}`;
		await putOAuthClient(service, { type: "service", resource }, id);
		const [, settings = ""] = /^```json\n(\{\n {2}"rules".*?)^```$/ms.exec(GUIDE) ?? [];
		const { gate_key: gateKey = "" } = await addGate(service, JSON.parse(settings), id);
		const partner = await addApiClient(service, { app_id: id, name: "Buyer" });
		const grants = `${APPLICATIONS}/${id}/grants`;
		await service.asAdmin("PUT", `${grants}/api-clients/${partner.id}`, { roles: ["writer"] });
		const person = await addPerson(service, `ada-${id.slice(-12)}`, { display_name: "Ada Lovelace" });
		await putGrant(service, id, person.id, ["reader"]);
		const exporter = await addApplication(service, { name: "Nightly export" });
		const { client_secret: secret = "" } = await putOAuthClient(
			service,
			{ type: "service", allowed_resources: [resource] },
			exporter.id,
		);
		await service.asAdmin("PUT", `${grants}/programs/${exporter.id}`, { roles: ["reader"] });
		return {
			id,
			gateKey,
			credentials: {
				url: service.httpUrl,
				tenantId: partner.tenant_id,
				appId: id,
				apiKey: partner.api_key,
				secret: partner.secret,
			},
			cookie: await browserCookie(service, person),
			token: await serviceToken(service, { id: exporter.id, secret }, resource),
		};
	}

	function writeProgram(folder: string, files: readonly string[]): void {
		for (const file of files) {
			assert.ok(FILES[file], file);
			mkdirSync(dirname(join(folder, file)), { recursive: true });
			writeFileSync(join(folder, file), `${FILES[file]}\n`);
		}
		const modules = join(folder, "node_modules");
		mkdirSync(join(modules, "@latchkey"), { recursive: true });
		cpSync(compiled, join(modules, "@latchkey/client"), { recursive: true });
		const link = (from: string, name: string) => symlinkSync(join(from, name), join(modules, name));
		if (files === NEXT_FILES) {
			for (const name of readdirSync(NEXT)) if (!name.startsWith(".")) link(NEXT, name);
			return;
		}
		for (const name of ["express", "fastify"]) link(join(ROOT, "node_modules"), name);
		for (const name of ["hono", "@hono"]) if (existsSync(join(SERVERS, name))) link(SERVERS, name);
	}

	for (const { name, files, skip, prepare } of PROGRAMS)
		test(`${name} admits partners, people, and programs, and refuses everything else`, { skip }, async () => {
			const { id, gateKey, credentials, cookie, token } = await shop();
			await using gate = await Switch.start(new URL(service.httpUrl));
			const folder = temporaryFolder();
			const [port = 0] = await freePorts(1);
			const base = `http://127.0.0.1:${port}`;
			const env: NodeJS.ProcessEnv = {
				PATH: process.env.PATH,
				HOME: folder.path,
				GOCACHE: process.env.GOCACHE ?? join(process.env.HOME ?? folder.path, ".cache/go-build"),
				GOFLAGS: "-mod=mod",
				GOPROXY: "off",
				NEXT_TELEMETRY_DISABLED: "1",
				PYTHONPATH: join(ROOT, "packages/python"),
				PYTHONDONTWRITEBYTECODE: "1",
				LK_BASE_URL: gate.url,
				LK_APP_ID: id,
				LK_GATE_KEY: gateKey,
				PORT: String(port),
			};
			writeProgram(folder.path, files);
			const [command = "", ...args] = prepare(folder.path, env);
			const program = spawn(command, args, { cwd: folder.path, env, stdio: ["ignore", "ignore", "pipe"] });
			try {
				await firstResponse(`${base}/orders/7`, program);
				const send = async (path: string, init: RequestInit = {}, send_ = fetch) => {
					const headers = { ...PROXY_HEADERS, ...(init.headers as Record<string, string>) };
					const response = await send_(base + path, { ...init, headers });
					const text = await response.text();
					const content = text.startsWith("{") ? JSON.parse(text) : text;
					return [response.status, response.ok ? content : response.headers.get("latchkey-refusal")];
				};
				const order = { method: "POST", body: '{"item":"tea"}' };
				const json = { "content-type": "application/json" };
				const signed = signedFetch(credentials, { retries: 0, origins: [base] }) as typeof fetch;

				// A partner, with the body that the handler parses.
				assert.deepEqual(await send("/orders/7?page=%2F", {}, signed), [
					200,
					{ order: "7", caller: "Buyer" },
				]);
				assert.deepEqual(await send("/orders", { ...order, headers: json }, signed), [
					201,
					{ item: "tea", caller: "Buyer" },
				]);
				// A person and a program.
				assert.deepEqual(await send("/orders/7", { headers: { cookie } }), [
					200,
					{ order: "7", caller: "Ada Lovelace" },
				]);
				const bearer = { authorization: `Bearer ${token}` };
				assert.deepEqual(await send("/orders/7", { headers: bearer }), [
					200,
					{ order: "7", caller: "Nightly export" },
				]);
				// Refused: an anonymous caller, without the permission, without a rule, and over plain HTTP.
				assert.deepEqual(await send("/orders/7"), [401, "token.missing"]);
				assert.deepEqual(await send("/orders", { ...order, headers: { ...json, ...bearer } }), [
					403,
					"application.access_denied",
				]);
				// Next.js itself knows no such route.
				const uncovered = files === NEXT_FILES ? [404, null] : [403, "gate.no_rule"];
				assert.deepEqual(await send("/secrets", {}, signed), uncovered);
				const plain = { headers: { "x-forwarded-proto": "http" } };
				assert.deepEqual(await send("/orders/7", plain, signed), [426, "transport.https_required"]);
				// A body that was changed after it was signed, and a signature that is used again.
				const { "content-digest": _, ...headers } = await sign(
					credentials,
					"POST",
					"/orders",
					new TextEncoder().encode(order.body),
				);
				const changed = { ...order, headers: { ...json, ...headers } };
				assert.deepEqual(await send("/orders", { ...changed, body: '{"item":"gold"}' }), [
					401,
					"signature.invalid",
				]);
				assert.equal((await send("/orders", changed))[0], 201);
				assert.deepEqual(await send("/orders", changed), [401, "nonce.reused"]);
				// No caller passes without a decision.
				gate.turnOff();
				for (const caller of [signed, fetch])
					assert.deepEqual(await send("/orders/7", { headers: caller === fetch ? bearer : {} }, caller), [
						503,
						"service.unavailable",
					]);
			} finally {
				await stopped(program);
				folder[Symbol.dispose]();
			}
		});
});

async function stopped(program: ChildProcess): Promise<void> {
	if (program.exitCode !== null) return;
	const exited = once(program, "exit");
	program.kill();
	await exited;
}
