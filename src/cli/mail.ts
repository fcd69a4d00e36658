// `latchkey mail test`: sends one mail, with the service running or not.

import { systemClock } from "../kernel/clock.ts";
import { sendTestMail, testMailProblem } from "../ops/mail/send-test-mail.ts";
import { UsageError } from "./command-line.ts";
import { loadNamedConfig } from "./installation.ts";

/** Prints the answer of the mail server, or the path of the file. Exit status 1 when the mail was not taken. */
export async function mailTest(to: string, { language }: { readonly language: string }): Promise<void> {
	const problem = testMailProblem(to, language);
	if (problem !== undefined) throw new UsageError(problem);
	const config = loadNamedConfig();
	const answer = await sendTestMail(config, systemClock, { to, language });
	console.log(config.smtpUrl === null ? `written to ${answer}` : `the mail server took the mail: ${answer}`);
}
