// Mail over SMTP: a small pool of connections, every wait bounded, failures told apart by whom they concern.

import { Readable } from "node:stream";
import { createTransport, type NodemailerError, type SMTPPoolOptions } from "nodemailer";
import { MAIL_UNDER_WAY_MAX, MailDeliveryError, type MailTransport } from "../../features/mail/model.ts";
import { composeMessage } from "./message.ts";

const CONNECT_TIMEOUT_MS = 10_000;
const SILENCE_TIMEOUT_MS = 25_000;
const IDLE_TIMEOUT_MS = 30_000;

export interface SmtpTransportOptions {
	/**
	 * `smtp://[user:password@]host[:587]` upgrades with STARTTLS, `smtps://…[:465]` is TLS from the start; user and
	 * password are percent-encoded. A password leaves this machine only encrypted: without STARTTLS nothing is sent then.
	 * Certificates are checked, except of a loopback address.
	 */
	readonly url: string;
	/** Silence after which a connection is given up: 25 s unless told; connecting and the greeting get 10 s and at most half of it. */
	readonly silenceTimeoutMs?: number;
}

/** @throws Error at once when the URL is neither; the text does not repeat it. */
export function createSmtpTransport(options: SmtpTransportOptions): MailTransport {
	const silenceMs = options.silenceTimeoutMs ?? SILENCE_TIMEOUT_MS;
	const connectMs = Math.min(CONNECT_TIMEOUT_MS, silenceMs / 2);
	const mailer = createTransport({
		...parseSmtpUrl(options.url),
		pool: true,
		maxConnections: MAIL_UNDER_WAY_MAX,
		// Once, for a connection the server dropped while it lay idle; the job decides about everything else.
		maxRequeues: 1,
		idleTimeout: IDLE_TIMEOUT_MS,
		dnsTimeout: connectMs,
		connectionTimeout: connectMs,
		greetingTimeout: connectMs,
		socketTimeout: silenceMs,
	});
	const waits = new WeakMap<object, () => Promise<void>>();
	mailer.use("stream", (mail, done) => {
		const wait = waits.get(mail.data.envelope as object);
		if (wait !== undefined)
			mail.message.processFunc((whole: Readable) => Readable.from(after(wait, whole), BYTES));
		done();
	});
	return {
		async send(mail, signal, beforeHandover) {
			const message = composeMessage(mail);
			if (beforeHandover !== undefined) waits.set(message.envelope as object, beforeHandover);
			try {
				await mailer.sendMail(signal === undefined ? message : { ...message, signal });
			} catch (error) {
				throw deliveryError(error as NodemailerError);
			}
		},
		async verify() {
			try {
				await mailer.verify();
			} catch (error) {
				throw new MailDeliveryError("transport", false, describe(error as NodemailerError), { cause: error });
			}
		},
		close() {
			mailer.close({ force: true });
		},
	};
}

const BYTES = { objectMode: false };

/** Read only when the server has taken sender and recipient, and waits for the message. */
async function* after(wait: () => Promise<void>, message: Readable): AsyncGenerator<Buffer> {
	await wait();
	yield* message;
}

const BEFORE_THE_MAIL = new Set(["EAUTH", "ENOAUTH", "EDNS", "ETLS", "EPROTOCOL", "ECONFIG"]);
const CUT_LINE = new Set(["ECONNRESET", "EPIPE", "ETIMEDOUT"]);

function deliveryError(error: NodemailerError): MailDeliveryError {
	const fault = faultOf(error);
	// A 5xx to MAIL FROM is about the sender, which the operator can put right: not final.
	const permanent = fault === "mail" && error.permanent !== false && error.command !== "MAIL FROM";
	return new MailDeliveryError(fault, permanent, describe(error), { cause: error });
}

function faultOf(error: NodemailerError): MailDeliveryError["fault"] {
	const code = error.code ?? "";
	if (code === "EENVELOPE" || code === "EMESSAGE") return "mail";
	if (BEFORE_THE_MAIL.has(code)) return "transport";
	if (error.timeoutType !== undefined)
		return error.timeoutType === "SOCKET_TIMEOUT" ? "unclear" : "transport";
	if (code === "ESOCKET" && !CUT_LINE.has(error.originalCode ?? "")) return "transport";
	return "unclear";
}

function describe(error: NodemailerError): string {
	return [error.originalCode ?? error.code, error.command, error.message].filter(Boolean).join(" · ");
}

function parseSmtpUrl(text: string): SMTPPoolOptions {
	if (!URL.canParse(text)) throw new Error("the SMTP URL cannot be read; expected smtp://host:port");
	const url = new URL(text);
	if (url.protocol !== "smtp:" && url.protocol !== "smtps:") {
		throw new Error("the SMTP URL must begin with smtp:// or smtps://");
	}
	const host = url.hostname.replace(/^\[(.*)\]$/, "$1");
	if (host === "") throw new Error("the SMTP URL names no host");
	const secure = url.protocol === "smtps:";
	const isLoopback = host === "localhost" || host === "::1" || /^127\.[0-9.]+$/.test(host);
	const hasPassword = url.username !== "" || url.password !== "";
	return {
		host,
		secure,
		port: url.port === "" ? (secure ? 465 : 587) : Number(url.port),
		requireTLS: !secure && hasPassword && !isLoopback,
		tls: { minVersion: "TLSv1.2", rejectUnauthorized: !isLoopback },
		...(hasPassword && {
			auth: { user: decodeURIComponent(url.username), pass: decodeURIComponent(url.password) },
		}),
	};
}
