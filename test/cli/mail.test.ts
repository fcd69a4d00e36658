import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";
import PostalMime from "postal-mime";
import { startMailServer } from "../harness/mail/mail-server.ts";
import { runCommand } from "../harness/processes/command.ts";
import { freePorts } from "../harness/processes/program.ts";
import { temporaryFolder } from "../harness/runs/folder.ts";

describe("latchkey mail test", () => {
	const mailTest = (args: readonly string[], env: Readonly<Record<string, string>>) =>
		runCommand(["mail", "test", ...args], { env });

	test("sends one mail and prints the response of the mail server", async () => {
		using folder = temporaryFolder();
		const server = await startMailServer();
		try {
			const env = { LATCHKEY_DATA_DIR: folder.path, LATCHKEY_SMTP_URL: server.url };
			const { code, stdout } = await mailTest(["ops@partner.example"], env);
			assert.equal(code, 0);
			assert.match(stdout, /^the mail server accepted the mail: 250 .+\n$/);
			const [mail] = await server.mailsTo("ops@partner.example");
			assert.match(mail?.text ?? "", /to check that mail from the service arrives/);
		} finally {
			await server.close();
		}
	});

	test("writes a file without a mail server, in the requested language", async () => {
		using folder = temporaryFolder();
		const env = { LATCHKEY_DATA_DIR: folder.path };
		const { code, stdout } = await mailTest(["ops@partner.example", "--language", "zh-CN"], env);
		assert.equal(code, 0);
		const [, path = ""] = /^written to (.+\.eml)\n$/.exec(stdout) ?? [];
		const mail = await PostalMime.parse(readFileSync(path));
		assert.deepEqual([mail.subject, mail.to?.[0]?.address], ["邮件发送测试", "ops@partner.example"]);
	});

	test("prints the response of the mail server to a refused recipient", async () => {
		using folder = temporaryFolder();
		const server = await startMailServer({ refusalOf: () => 550 });
		try {
			const env = { LATCHKEY_DATA_DIR: folder.path, LATCHKEY_SMTP_URL: server.url };
			const { code, stdout, stderr } = await mailTest(["ops@partner.example"], env);
			assert.deepEqual([code, stdout], [1, ""]);
			assert.match(stderr, /^latchkey: the mail server refused the mail: .*550 not today$/m);
		} finally {
			await server.close();
		}
	});

	test("reports an unavailable mail server", async () => {
		using folder = temporaryFolder();
		const [port] = await freePorts(1);
		const env = { LATCHKEY_DATA_DIR: folder.path, LATCHKEY_SMTP_URL: `smtp://127.0.0.1:${port}` };
		const { code, stderr } = await mailTest(["ops@partner.example"], env);
		assert.equal(code, 1);
		assert.match(stderr, /^latchkey: the mail server does not accept mail from this service: ECONNREFUSED/m);
	});

	test("refuses anything but one plain address, and unknown languages", async () => {
		for (const args of [["a@x.example,b@x.example"], ["nobody"], ["a@x.example", "--language", "xx"]]) {
			const { code, stdout, stderr } = await mailTest(args, {});
			assert.deepEqual([code, stdout], [2, ""], args.join(" "));
			assert.match(stderr, /^latchkey: (<address>|--language) must be one [^\n]+\n$/);
		}
	});
});
