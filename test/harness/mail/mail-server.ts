// An SMTP server that keeps the mails it accepts.

import PostalMime from "postal-mime";
import { SMTPServer } from "smtp-server";
import { freePorts } from "../processes/program.ts";

export interface AcceptedMail {
	readonly to: string;
	readonly messageId: string;
	readonly text: string;
}

export interface MailServer {
	/** For `LATCHKEY_SMTP_URL`. */
	readonly url: string;
	/** The accepted mails in order. */
	readonly taken: readonly AcceptedMail[];
	/** Waits up to 10 s for `count` mails to an address. */
	mailsTo(address: string, count?: number): Promise<AcceptedMail[]>;
	close(): Promise<void>;
}

export interface MailServerOptions {
	/** The delay before the server accepts a message. */
	readonly slowMs?: number;
	/** The SMTP code that refuses a recipient; undefined accepts it. */
	readonly refusalOf?: (address: string) => number | undefined;
	/** Called before the response to an accepted mail. */
	readonly onAccepted?: () => void;
}

export async function startMailServer({
	slowMs = 0,
	refusalOf = () => undefined,
	onAccepted = () => undefined,
}: MailServerOptions = {}): Promise<MailServer> {
	const taken: AcceptedMail[] = [];
	const [port = 0] = await freePorts(1);
	const server = new SMTPServer({
		logger: false,
		authOptional: true,
		hideSTARTTLS: true,
		closeTimeout: 10,
		onRcptTo({ address }, _session, done) {
			const responseCode = refusalOf(address);
			done(responseCode === undefined ? null : Object.assign(new Error("not today"), { responseCode }));
		},
		onData(stream, session, done) {
			const chunks: Buffer[] = [];
			stream.on("data", (chunk: Buffer) => chunks.push(chunk));
			stream.on("end", async () => {
				const mail = await PostalMime.parse(Buffer.concat(chunks));
				await new Promise((resolve) => setTimeout(resolve, slowMs));
				for (const { address } of session.envelope.rcptTo)
					taken.push({ to: address, messageId: mail.messageId ?? "", text: mail.text ?? "" });
				onAccepted();
				done();
			});
		},
	});
	server.on("error", () => undefined);
	await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
	return {
		url: `smtp://127.0.0.1:${port}`,
		taken,
		async mailsTo(address, count = 1) {
			const deadline = performance.now() + 60_000;
			for (;;) {
				const mails = taken.filter(({ to }) => to === address);
				if (mails.length >= count) return mails;
				if (performance.now() > deadline)
					throw new Error(`${mails.length} of ${count} mails to ${address} in 60 s`);
				await new Promise((resolve) => setTimeout(resolve, 20));
			}
		},
		close: () => new Promise((resolve) => server.close(() => resolve())),
	};
}
