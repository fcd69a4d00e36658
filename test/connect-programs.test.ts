// The programs under "Connect" of an application, run exactly as they are shown.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { after, before, describe, test } from "node:test";
import { type Connection, nodeProgram, pythonProgram } from "../pages/console/applications/snippets.ts";
import { addApplication } from "./harness/applications.ts";
import { firstResponse } from "./harness/example-program.ts";
import { addPerson, type Person } from "./harness/people.ts";
import { freePorts } from "./harness/program.ts";
import { type FrontedService, startFrontedService } from "./harness/public-front.ts";
import type { TestService } from "./harness/service.ts";

describe("programs that connect an application", { timeout: 60_000 }, () => {
	let service: TestService;
	let fronted: FrontedService;
	let ada: Person;
	let folder: string;
	let port: number;
	let connection: Connection;
	before(async () => {
		[port = 0] = await freePorts(1);
		fronted = await startFrontedService();
		service = fronted.service;
		ada = await addPerson(service, "ada", { display_name: "Ada Lovelace" });
		const redirectUri = `http://localhost:${port}/signed-in`;
		const { id } = await addApplication(service, { access_policy: "open", redirect_uris: [redirectUri] });
		connection = { service: fronted.publicUrl, appId: id, redirectUri, tenant: undefined };
		folder = mkdtempSync(join(tmpdir(), "latchkey-connect-"));
		symlinkSync(resolve(import.meta.dirname, "../node_modules"), join(folder, "node_modules"));
	});
	after(async () => {
		await fronted?.[Symbol.asyncDispose]();
		if (folder !== undefined) rmSync(folder, { recursive: true });
	});

	/** The steps of the sign-in page after the user has signed in. */
	async function ticketFor(location: string): Promise<string> {
		const { searchParams, pathname } = new URL(location);
		assert.equal(pathname, "/sign-in");
		const { status, body } = await service.call("POST", "/api/v1/auth/tickets", {
			token: ada.token,
			body: Object.fromEntries(searchParams),
		});
		assert.equal(status, 200, JSON.stringify(body));
		return body.data.redirect_to;
	}

	for (const [command, file, write] of [
		[process.execPath, "sign-in.mjs", nodeProgram],
		["python3", "sign_in.py", pythonProgram],
	] as const)
		test(`${file} signs a user in, and refuses a ticket from another browser`, async () => {
			writeFileSync(join(folder, file), write(connection));
			const certificate = join(service.dataDir, "tls-cert.pem");
			const program = spawn(command, [file], {
				cwd: folder,
				env: {
					PATH: process.env.PATH,
					PORT: String(port),
					NODE_EXTRA_CA_CERTS: certificate,
					SSL_CERT_FILE: certificate,
				},
				stdio: ["ignore", "ignore", "pipe"],
			});
			try {
				const begun = await firstResponse(`http://localhost:${port}/`, program);
				assert.equal(begun.status, 302);
				const cookie = begun.headers.get("set-cookie")?.split(";")[0] ?? "";
				const back = await ticketFor(begun.headers.get("location") ?? "");
				const foreign = await fetch(back, { headers: { cookie: "sign_in=other.verifier" } });
				assert.equal(foreign.status, 400);
				const signedIn = await fetch(back, { headers: { cookie } });
				assert.deepEqual([signedIn.status, await signedIn.text()], [200, "Signed in as Ada Lovelace\n"]);
				const again = await fetch(back, { headers: { cookie } });
				assert.equal(again.status, 400);
			} finally {
				program.kill();
				await once(program, "exit");
			}
		});
});
