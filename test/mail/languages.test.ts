// Alone in its process: the start adds a language for the whole process.

import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { runCommand } from "../harness/processes/command.ts";
import { temporaryFolder } from "../harness/runs/folder.ts";
import { startTestService } from "../harness/service/service.ts";

const LANGUAGE =
	'{ "dates": "eo", "time": "{time} UTC", "signature": "De {host}.", "signatureWithoutHost": "Aŭtomata." }';

describe("LATCHKEY_MAIL_TEXTS", () => {
	test("adds a language that requests can ask for, and replaces a built-in text", async () => {
		using texts = temporaryFolder();
		for (const language of ["eo", "en"]) mkdirSync(join(texts.path, language));
		writeFileSync(join(texts.path, "eo", "language.json"), LANGUAGE);
		const esperanto = "Via kodo\n\nJen la kodo:\n\n`{code}`\n";
		writeFileSync(join(texts.path, "eo", "registration_code.txt"), esperanto);
		const english = "Your code for Looms\n\nWelcome to Looms:\n\n`{code}`\n";
		writeFileSync(join(texts.path, "en", "registration_code.txt"), english);
		const service = await startTestService({ env: { LATCHKEY_MAIL_TEXTS: texts.path } });
		try {
			const subjects = [];
			for (const language of ["eo-XX, en;q=0.5", "en", "zh"]) {
				const email = `code-${subjects.length}@partner.example`;
				const headers = { "accept-language": language };
				await service.call("POST", "/api/v1/auth/register/send-code", { body: { email }, headers });
				const [mail] = await service.mailsTo(email);
				subjects.push(mail?.subject);
				assert.match(mail?.text ?? "", /[0-9]{6}/);
				if (language === "zh") continue;
				const signature = language === "en" ? /^Sent automatically by / : /^De [a-z]/;
				assert.match(mail?.text?.trim().split("\n").at(-1) ?? "", signature);
			}
			assert.deepEqual(subjects.slice(0, 2), ["Via kodo", "Your code for Looms"]);
			assert.match(subjects[2] ?? "", /^注册验证码：[0-9]{6}$/);
			const token = await service.adminToken();
			const listed = await service.call("GET", "/api/v1/mails?to=code-0@partner.example", { token });
			assert.equal(listed.body.data[0]?.subject, "Via kodo");
			const body = { locale: "eo" };
			const chosen = await service.call("PATCH", "/api/v1/users/me", { token, body });
			assert.deepEqual([chosen.status, chosen.body.data?.locale], [200, "eo"]);
			assert.match(
				service.logs(),
				/"language":"eo","missing":\[.*"msg":"mails without a text in this language/,
			);
		} finally {
			await service.stop();
		}
	});

	test("refuses a text with a mistake in one line, before the start changes anything", async () => {
		using folder = temporaryFolder();
		const texts = join(folder.path, "texts");
		mkdirSync(join(texts, "en"), { recursive: true });
		writeFileSync(join(texts, "en", "registration_code.txt"), "Welcome\n\nYour code is {coed}.\n");
		const env = { LATCHKEY_DATA_DIR: join(folder.path, "data"), LATCHKEY_MAIL_TEXTS: texts };
		const { code, stdout, stderr } = await runCommand(["serve"], { env });
		assert.deepEqual([code, stdout], [1, ""]);
		assert.match(
			stderr,
			/^latchkey: LATCHKEY_MAIL_TEXTS \/.*\/en\/registration_code\.txt: unknown parameter: \{coed\}\n$/,
		);
	});
});
