// The program of docs/webhooks.md accepts signed deliveries, and refuses forged ones.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { Webhook } from "standardwebhooks";
import { filesIn } from "../scripts/pages/guide-code.ts";
import { firstResponse } from "./harness/openid/example-program.ts";
import { freePorts } from "./harness/processes/program.ts";
import { temporaryFolder } from "./harness/runs/folder.ts";

const ROOT = resolve(import.meta.dirname, "..");
const SECRET = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;

test("the program of the guide accepts a signed delivery, and nothing else", {
	timeout: 120_000,
}, async () => {
	using folder = temporaryFolder();
	const code = filesIn(readFileSync(join(ROOT, "docs/webhooks.md"), "utf8"))["webhook.mjs"];
	assert.ok(code);
	writeFileSync(join(folder.path, "webhook.mjs"), `${code}\n`);
	symlinkSync(join(ROOT, "node_modules"), join(folder.path, "node_modules"));
	const [port = 0] = await freePorts(1);
	const program = spawn(process.execPath, ["webhook.mjs"], {
		cwd: folder.path,
		env: { PATH: process.env.PATH, PORT: String(port), WEBHOOK_SECRET: SECRET },
		stdio: ["ignore", "pipe", "pipe"],
	});
	try {
		const url = `http://127.0.0.1:${port}/webhooks`;
		await firstResponse(url, program);
		const lines = createInterface(program.stdout)[Symbol.asyncIterator]();
		const body = '{ "type": "webhook.test", "data": {} }';
		const post = async (sentBody: string, at = new Date(), secret = SECRET) => {
			const headers = {
				"content-type": "application/json",
				"webhook-id": "m1",
				"webhook-timestamp": String(Math.floor(at.getTime() / 1000)),
				"webhook-signature": new Webhook(secret).sign("m1", at, body),
			};
			return (await fetch(url, { method: "POST", body: sentBody, headers })).status;
		};
		assert.equal(await post(body), 204);
		assert.equal((await lines.next()).value, "m1 webhook.test");
		assert.equal(await post(body.replace("test", "fake")), 400);
		assert.equal(await post(body, new Date(Date.now() - 600_000)), 400);
		assert.equal(await post(body, new Date(), `whsec_${Buffer.alloc(32, 8).toString("base64")}`), 400);
		assert.equal((await fetch(url, { method: "POST", body })).status, 400);
	} finally {
		program.kill();
		if (program.exitCode === null && program.signalCode === null) await once(program, "exit");
	}
});
