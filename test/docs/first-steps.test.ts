import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { promisify } from "node:util";
import { submitApproved } from "../harness/access/access-requests.ts";
import { skippedWithout } from "../harness/processes/server-process.ts";
import { setup, testService } from "../harness/runs/fixture.ts";
import { lastingFolder } from "../harness/runs/folder.ts";
import { ADMIN } from "../harness/service/service.ts";
import { readDocument } from "./document.ts";

const run = promisify(execFile);
const PARTNER = "ada@partner.example";
/** The part of an earlier response that replaces `…` in a command, by the text before it. */
const FILLED: readonly (readonly [shown: RegExp, name: RegExp])[] = [
	[/(?<=^TOKEN=)eyJ…/, /"access_token":"([^"]+)"/],
	[/0190…(?=\/approve)/, /^\{"id":"([^"]+)"/m],
	[/(?<=LK_TENANT_ID=)…/, /"tenant_id":"([^"]+)","app_id"/],
	[/(?<=LK_APP_ID=)…/, /"app_id":"([^"]+)","name"/],
	[/(?<=LK_API_KEY=)ak_…/, /"api_key":"([^"]+)"/],
	[/(?<=LK_SECRET=)sk_…/, /"secret":"([^"]+)"/],
];

interface Shown {
	readonly command: string;
	/** The lines below the command. */
	readonly output: string;
}

/** The commands of the document with their output, in order. */
function shownCommands(): Shown[] {
	const blocks = [...readDocument("docs/first-steps.md").matchAll(/^```console\n(.*?)^```$/gms)];
	return blocks.flatMap(([, block = ""]) =>
		block
			.split(/^\$ /m)
			.slice(1)
			.map((text) => {
				const [command = "", output = ""] = text.split(/(?<!\\)\n(.*)/s);
				return { command, output };
			}),
	);
}

describe("docs/first-steps.md", { skip: skippedWithout("bash", "curl") }, () => {
	const folder = lastingFolder();
	const service = testService();
	setup(async () => {
		symlinkSync(service.dataDir, join(folder, "data"));
		symlinkSync(join(import.meta.dirname, "../../bin"), join(folder, "bin"));
	});

	/** The command with the URLs of this service and the values of earlier responses. */
	const typed = (command: string, answered: string): string => {
		let text = command
			.replaceAll("http://127.0.0.1:8080", service.httpUrl)
			.replaceAll("https://localhost:8443", `https://localhost:${service.httpsPort}`)
			.replace('"password":"…"', `"password":"${ADMIN.password}"`);
		for (const [shown, name] of FILLED) text = text.replace(shown, () => name.exec(answered)?.[1] ?? "…");
		assert.doesNotMatch(text, /…/, `no earlier response fills "…" in ${command}`);
		return text;
	};

	/** The receipt and the approval, and those of another partner after them. */
	const waitForMails = async (): Promise<void> => {
		await service.mailsTo(PARTNER, 2);
		const { email } = await submitApproved(service);
		await service.mailsTo(email, 2);
	};

	it("runs as written and prints what it shows", { timeout: 60_000 }, async () => {
		const steps = shownCommands();
		assert.ok(steps.length >= 8, `${steps.length} commands`);
		const variables: string[] = [];
		let answered = "";
		for (const { command, output } of steps) {
			if (command.startsWith("CLAIM=")) await waitForMails();
			const line = typed(command, answered);
			if (/^(?:export )?[A-Z_]+=/.test(line)) variables.push(line);
			const script = ["set -euo pipefail", ...variables, line].join("\n");
			const { stdout, stderr } = await run("bash", ["-c", script], { cwd: folder, encoding: "utf8" });
			answered = `${stdout}\n${answered}`;
			assert.doesNotMatch(stdout, /"error":/, `${command}\n${stdout}`);
			for (const [name] of output.matchAll(/"[a-z_]+":|HTTP \d+/g))
				assert.ok((stdout + stderr).includes(name), `${command} prints ${name}: ${stdout}${stderr}`);
		}
		assert.match(answered, /"api_key":"ak_/);
	});
});
