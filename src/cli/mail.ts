// `latchkey mail test`: sends one mail, with the service running or stopped.

import { systemClock } from "../kernel/clock.ts";
import { usageError } from "../kernel/start-error.ts";
import { sendTestMail, testMailProblem } from "../ops/mail/send-test-mail.ts";
import { loadNamedConfig } from "./installation.ts";
import { printDone } from "./output.ts";

/**
 * Prints the response of the mail server, or the path of the file. Exit status `failed` if the mail was not accepted.
 */
export async function mailTest(to: string, { language }: { readonly language: string }): Promise<void> {
	const config = loadNamedConfig();
	const problem = testMailProblem(config, to, language);
	if (problem !== undefined) throw usageError(problem);
	const response = await sendTestMail(config, systemClock, { to, language });
	printDone(
		{ to, written: config.smtpUrl === null, response },
		config.smtpUrl === null ? `written to ${response}` : `the mail server accepted the mail: ${response}`,
	);
}
