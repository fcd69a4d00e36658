// `latchkey mail`: sends a test mail, lists mails, and resends them, with the service running or stopped.

import { systemClock } from "../kernel/clock.ts";
import { StartError } from "../kernel/start-error.ts";
import { sendTestMail, testMailProblem } from "../ops/mail/send-test-mail.ts";
import { listMails, MAIL_STATES, resend } from "../ops/manage/manage-mails.ts";
import { type ListOptions, operate, parseChoice, parseLimit, type TenantOption } from "./daily-work.ts";
import { loadNamedConfig } from "./installation.ts";
import { printDone } from "./output.ts";
import { printList } from "./table.ts";

/**
 * Prints the response of the mail server, or the path of the file. Exit status `failed` if the mail was not accepted.
 */
export async function mailTest(to: string, { language }: { readonly language: string }): Promise<void> {
	const config = loadNamedConfig();
	const problem = testMailProblem(config, to, language);
	if (problem !== undefined) throw new StartError(problem, { kind: "usage" });
	const response = await sendTestMail(config, systemClock, { to, language });
	printDone(
		{ to, written: config.smtpUrl === null, response },
		config.smtpUrl === null ? `written to ${response}` : `the mail server accepted the mail: ${response}`,
	);
}

/** Never prints the content of a mail. */
export async function mailList(
	options: ListOptions & { readonly state?: string; readonly to?: string },
): Promise<void> {
	const limit = parseLimit(options);
	const state = parseChoice("--state", options.state, MAIL_STATES);
	const to = options.to?.toLowerCase();
	await operate(options, async (operation) =>
		printList(await listMails(operation, { ...(state && { state }), ...(to && { to }) }, limit), [
			"at",
			"to",
			"subject",
			"state",
			"attempts",
			"last_error",
			"id",
		]),
	);
}

export async function mailResend(name: string, options: TenantOption): Promise<void> {
	await operate(options, async (operation) => {
		const mail = await resend(operation, name);
		printDone(mail, "the running service sends the mail now");
	});
}
