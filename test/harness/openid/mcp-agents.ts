// Programs with the official MCP clients, unchanged, and the MCP servers of docs/mcp.md.

import assert from "node:assert/strict";
import { type ChildProcess, fork, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { filesIn } from "../../../scripts/pages/guide-code.ts";
import { temporaryFolder } from "../runs/folder.ts";
import type { FrontedService } from "../service/public-front.ts";
import { firstResponse } from "./example-program.ts";
import type { TestBrowser } from "./openid.ts";

const PACKAGES = resolve(import.meta.dirname, "../../parties/mcp");
const FILES = filesIn(readFileSync(resolve(import.meta.dirname, "../../../docs/mcp.md"), "utf8"));
const REDIRECT_URI = "http://127.0.0.1:43210/callback";

/** `false`, or the reason to skip. With `CI` set, missing packages are a failure. */
export const MCP_SKIPPED =
	process.env.CI === undefined && !existsSync(join(PACKAGES, "node_modules"))
		? "no packages of MCP (npm ci --prefix test/parties/mcp)"
		: false;

interface Answer {
	readonly result?: unknown;
	readonly error?: string;
	/** Where the program sends its user. */
	readonly authorization?: string;
}

export interface Agent extends AsyncDisposable {
	tell(action: string, value?: unknown): Promise<Answer>;
	/** Its tokens. */
	held(): Promise<Record<string, string>>;
}

interface AgentOptions {
	/** The major version of the client library. */
	readonly sdk: string;
	/** Of the MCP server. */
	readonly url: string;
	/** Its `client_id`. */
	readonly document: string;
	/** A file with the certificates to trust. */
	readonly certificates: string;
}

export async function startAgent({ sdk, url, document, certificates }: AgentOptions): Promise<Agent> {
	const program = fork(join(PACKAGES, "agent.mjs"), {
		env: {
			PATH: process.env.PATH,
			NODE_EXTRA_CA_CERTS: certificates,
			SDK: sdk,
			MCP_URL: url,
			DOCUMENT: document,
			REDIRECT_URI,
		},
		execArgv: [],
		silent: true,
	});
	let errors = "";
	program.stderr?.on("data", (chunk: Buffer) => {
		errors += chunk.toString();
	});
	/** Its next message, unless it ends before. */
	const message = async (): Promise<Answer> => {
		const settled = new AbortController();
		const { signal } = settled;
		const ended = once(program, "close", { signal }).then(() => assert.fail(`the agent ended: ${errors}`));
		try {
			return (await Promise.race([once(program, "message", { signal }), ended]))[0];
		} finally {
			settled.abort();
		}
	};
	await message();
	const tell = (action: string, value?: unknown): Promise<Answer> => {
		const answered = message();
		program.send({ action, value });
		return answered;
	};
	return {
		tell,
		held: async () => (await tell("tokens")).result as Record<string, string>,
		[Symbol.asyncDispose]: () => stop(program),
	};
}

/** Starts a server of the guide, which listens at `url`. */
export async function startMcpServer(
	file: string,
	url: string,
	env: Readonly<Record<string, string | undefined>>,
): Promise<AsyncDisposable> {
	const started = new AsyncDisposableStack();
	const folder = started.use(temporaryFolder()).path;
	symlinkSync(join(PACKAGES, "node_modules"), join(folder, "node_modules"));
	writeFileSync(join(folder, file), FILES[file] ?? assert.fail(`docs/mcp.md has no ${file}`));
	const server = spawn(process.execPath, [file], {
		cwd: folder,
		env: { PATH: process.env.PATH, ...env },
		stdio: ["ignore", "ignore", "pipe"],
	});
	started.defer(() => stop(server));
	await firstResponse(url, server);
	return started;
}

export function authorizationIn({ authorization, error }: Answer): string {
	return authorization ?? assert.fail(`no authorization request: ${error}`);
}

interface Review {
	readonly browser: TestBrowser;
	/** The token of the person who asks. */
	readonly token: string;
	readonly authorization: string;
	readonly resource: string;
}

/** Requests an unknown program, and approves it. @returns its application */
export async function reviewProgram(
	{ service, publicUrl }: FrontedService,
	{ browser, token, authorization, resource }: Review,
): Promise<string> {
	const { headers } = await browser.go(authorization);
	const page = new URL(headers.location ?? "");
	assert.equal(page.origin + page.pathname, `${publicUrl}/program`);
	const id = page.searchParams.get("request");
	const reason = { reason: "To work with my tasks." };
	await browser.post(`/api/v1/auth/programs/requests/${id}/ask`, reason, token);
	const { client_id: url } = Object.fromEntries(new URL(authorization).searchParams);
	const path = `/api/v1/requests?kind=program&status=pending&q=${encodeURIComponent(url ?? "")}` as const;
	const [request] = await service.asAdmin("GET", path as "/api/v1/requests");
	const approval = `/api/v1/requests/${request?.id}/approve` as const;
	const decided = await service.asAdmin("POST", approval, { allowed_resources: [resource] });
	return decided.application_id ?? assert.fail("no application");
}

async function stop(program: ChildProcess): Promise<void> {
	if (program.exitCode !== null) return;
	const exited = once(program, "exit");
	program.kill("SIGKILL");
	await exited;
}
