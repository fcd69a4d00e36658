// Checks mail: the login at the mail server, or the folder of mail files.

import { join } from "node:path";
import { createSmtpTransport } from "../../adapters/mail/smtp-transport.ts";
import type { Config } from "../../config/config.ts";
import { MailDeliveryError } from "../../domain/mail-transport.ts";
import { type Finding, fail, ok, warn } from "./finding.ts";
import { isLocal, publicHost } from "./public-host.ts";

export async function examineMail(config: Config): Promise<Finding[]> {
	if (config.smtpUrl === null) {
		const text = `becomes files in ${join(config.dataDir, "mail")}`;
		return [isLocal(publicHost(config)) ? ok("mail", text) : warn("mail", `${text}: set LATCHKEY_SMTP_URL`)];
	}
	const transport = createSmtpTransport({ url: config.smtpUrl });
	try {
		await transport.verify();
		return [ok("mail", "the mail server takes us")];
	} catch (error) {
		if (!(error instanceof MailDeliveryError)) throw error;
		return [fail("mail", `the mail server does not take us (${error.message}): see LATCHKEY_SMTP_URL`)];
	} finally {
		transport.close();
	}
}
