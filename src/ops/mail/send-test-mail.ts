// Sends one mail through the configured transport, bypassing the outbox.

import { createMailTransport } from "../../app/background.ts";
import { installationBrand } from "../../app/platform.ts";
import type { Config } from "../../config/config.ts";
import { brandOf } from "../../domain/brand.ts";
import { isMailAddress, MailDeliveryError } from "../../domain/mail-transport.ts";
import { loadMailTexts } from "../../features/record/mail/mail-texts.ts";
import { renderMail } from "../../features/record/mail/render.ts";
import { type Clock, isoTime } from "../../kernel/clock.ts";
import { newId } from "../../kernel/id.ts";
import { StartError } from "../../kernel/start-error.ts";

const TIMEOUT_MS = 60_000;

const REASONS: Readonly<Record<MailDeliveryError["fault"], string>> = {
	mail: "the mail server refused the mail",
	transport: "the mail server does not accept mail from this service",
	unclear: "the connection to the mail server broke",
};

/**
 * Why an argument is wrong; undefined when the mail can be sent.
 *
 * @throws StartError for a mistake in the mail texts.
 */
export function testMailProblem({ mailTexts }: Config, to: string, language: string): string | undefined {
	if (!isMailAddress(to)) return "<address> must be one plain email address";
	const { locales } = loadMailTexts(mailTexts);
	return locales.includes(language) ? undefined : `--language must be one of ${locales.join(", ")}`;
}

/**
 * @param language one that `testMailProblem` accepts.
 * @returns the response of the mail server, or the path of the written file if none is configured.
 * @throws StartError if the mail was not accepted; the message holds the response.
 */
export async function sendTestMail(
	config: Config,
	clock: Clock,
	{ to, language }: { readonly to: string; readonly language: string },
): Promise<string> {
	const createdAtMs = clock();
	const message = { kind: "test", at: isoTime(createdAtMs) } as const;
	const mail = { id: newId(createdAtMs), tenantId: "", to, locale: language, message, createdAtMs };
	const transport = await createMailTransport(config);
	try {
		const rendered = renderMail(mail, {
			from: config.mailFrom,
			brand: brandOf(installationBrand(config), undefined),
			publicUrl: config.publicUrl,
			texts: loadMailTexts(config.mailTexts),
		});
		return await transport.send(rendered, AbortSignal.timeout(TIMEOUT_MS));
	} catch (error) {
		if (!(error instanceof MailDeliveryError)) throw error;
		throw new StartError(`${REASONS[error.fault]}: ${error.message}`, { cause: error });
	} finally {
		transport.close();
	}
}
