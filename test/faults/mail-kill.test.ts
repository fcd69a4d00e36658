// A kill -9 after mails are handed over and before that is recorded: at most four arrive again, with the same Message-ID.

import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { HANDOVERS_MAX } from "../../src/jobs/mail-hold.ts";
import { REQUESTS, submission } from "../harness/access/access-requests.ts";
import { startMailServer } from "../harness/mail/mail-server.ts";
import { ownSettings, type ReadyProgram, startProgram } from "../harness/processes/program.ts";
import { temporaryFolder } from "../harness/runs/folder.ts";

/** The lease of the killed deliveries, a start, and a margin for a busy machine. */
const PATIENCE_MS = 60_000;
const SUBMISSIONS = 12;

async function submit(program: ReadyProgram): Promise<string> {
	const body = submission();
	const response = await fetch(program.httpUrl + REQUESTS, {
		method: "POST",
		headers: { "content-type": "application/json" },
		body: JSON.stringify(body),
	});
	assert.equal(response.status, 201, await response.text());
	return String(body.email);
}

async function until(isTrue: () => boolean, what: () => string): Promise<void> {
	const deadline = performance.now() + PATIENCE_MS;
	while (!isTrue()) {
		assert.ok(performance.now() < deadline, what());
		await new Promise((resolve) => setTimeout(resolve, 20));
	}
}

test("mails whose sender is killed while sending arrive again, at most four and with the same Message-ID", async () => {
	using folder = temporaryFolder();
	let onAccepted: () => void = () => undefined;
	const mail = await startMailServer({ onAccepted: () => onAccepted() });
	const env = {
		...(await ownSettings(join(folder.path, "data"))),
		LATCHKEY_SMTP_URL: mail.url,
		LATCHKEY_MAIL_FROM: "latchkey@mail.example",
		LATCHKEY_RATE_LIMIT_PER_MINUTE: "0",
	};
	let program = await startProgram({ env });
	try {
		// The mail server has accepted one whole group, and its responses have not left yet.
		onAccepted = () => void (mail.taken.length === HANDOVERS_MAX && program.kill("SIGKILL"));
		const submitting = Promise.allSettled(Array.from({ length: SUBMISSIONS }, () => submit(program)));
		assert.equal((await program.exited).signal, "SIGKILL");
		const outcomes = await submitting;
		const due = outcomes.flatMap((outcome) => (outcome.status === "fulfilled" ? [outcome.value] : []));
		assert.ok(due.length > 0, "no submission was acknowledged");
		const early = mail.taken.map(({ messageId }) => messageId);
		program = await startProgram({ env });
		const missing = () => due.filter((address) => !mail.taken.some(({ to }) => to === address));
		await until(
			() => missing().length === 0,
			() => `lost: ${missing()}`,
		);
		const late = mail.taken.slice(early.length);
		const repeated = early.filter((id) => late.some(({ messageId }) => messageId === id));
		assert.ok(repeated.length >= 1 && repeated.length <= HANDOVERS_MAX, `${repeated.length} repeated`);
		const ids = new Set(mail.taken.map(({ messageId }) => messageId));
		assert.equal(mail.taken.length - ids.size, repeated.length, "each repeated mail arrived twice");
	} finally {
		await program.end();
		await mail.close();
	}
});
