// Sends mail over SMTP, with a small connection pool, bounded waits, and failures classified by cause.

import { Readable } from "node:stream";
import { createTransport, type NodemailerError, type SMTPPoolOptions } from "nodemailer";
import { MAIL_UNDER_WAY_MAX, MailDeliveryError, type MailTransport } from "../../domain/mail-transport.ts";
import { composeMessage } from "./message.ts";

const CONNECT_TIMEOUT_MS = 10_000;
const SILENCE_TIMEOUT_MS = 25_000;
const IDLE_TIMEOUT_MS = 30_000;

export interface SmtpTransportOptions {
	/**
	 * `smtp://[user:password@]host[:587]` upgrades with STARTTLS, `smtps://…[:465]` uses TLS from the start; user and
	 * password are percent-encoded. Sends nothing without STARTTLS, except to a loopback address.
	 * `smtp://host?tls=opportunistic` sends in clear text to a server without STARTTLS, `?tls=off` to any; neither is
	 * allowed with a password. Certificates are verified, except for loopback addresses. `?name=` replaces `clientName`.
	 */
	readonly url: string;
	/** The host name in EHLO. Some servers refuse a literal such as `[127.0.0.1]`, the default of the library. */
	readonly clientName: string;
	/**
	 * A connection is closed after this silence. Default 25 s. Connecting and the greeting get half of it, at most 10 s.
	 */
	readonly silenceTimeoutMs?: number;
}

/** @throws Error when the URL is invalid; the message does not repeat it. */
export function createSmtpTransport(options: SmtpTransportOptions): MailTransport {
	const silenceMs = options.silenceTimeoutMs ?? SILENCE_TIMEOUT_MS;
	const connectMs = Math.min(CONNECT_TIMEOUT_MS, silenceMs / 2);
	const mailer = createTransport({
		name: options.clientName,
		...parseSmtpUrl(options.url),
		pool: true,
		maxConnections: MAIL_UNDER_WAY_MAX,
		// Retry once, for a connection that the server closed while idle; the job retries everything else.
		maxRequeues: 1,
		idleTimeout: IDLE_TIMEOUT_MS,
		dnsTimeout: connectMs,
		connectionTimeout: connectMs,
		greetingTimeout: connectMs,
		socketTimeout: silenceMs,
	});
	const waits = new WeakMap<object, () => Promise<void>>();
	mailer.use("stream", (mail, done) => {
		const wait = mail.data.envelope && waits.get(mail.data.envelope);
		if (wait !== undefined)
			mail.message.processFunc((whole: Readable) => Readable.from(after(wait, whole), BYTES));
		done();
	});
	return {
		async send(mail, signal, beforeHandover) {
			const message = composeMessage(mail);
			if (beforeHandover !== undefined) waits.set(message.envelope, beforeHandover);
			try {
				const { response } = await mailer.sendMail(signal === undefined ? message : { ...message, signal });
				return response;
			} catch (error) {
				throw deliveryError(nodemailerError(error));
			}
		},
		async verify() {
			try {
				await mailer.verify();
			} catch (error) {
				throw new MailDeliveryError("transport", false, describe(nodemailerError(error)), { cause: error });
			}
		},
		close() {
			mailer.close({ force: true });
		},
	};
}

const BYTES = { objectMode: false };

/**
 * Waits until the server has accepted sender and recipient, then yields the message in one piece, because each piece is a
 * write to the socket.
 */
async function* after(wait: () => Promise<void>, message: Readable): AsyncGenerator<Buffer> {
	await wait();
	yield Buffer.concat(await message.toArray());
}

const BEFORE_THE_MAIL = new Set(["EAUTH", "ENOAUTH", "EDNS", "ETLS", "EPROTOCOL", "ECONFIG"]);
const BROKEN_CONNECTION = new Set(["ECONNRESET", "EPIPE", "ETIMEDOUT"]);

/** Nodemailer adds optional members to errors. */
function nodemailerError(error: unknown): NodemailerError {
	return error instanceof Error ? error : new Error(String(error));
}

function deliveryError(error: NodemailerError): MailDeliveryError {
	const fault = faultOf(error);
	// A 5xx to MAIL FROM concerns the sender, which the operator can correct: not permanent.
	const permanent = fault === "mail" && error.permanent !== false && error.command !== "MAIL FROM";
	return new MailDeliveryError(fault, permanent, describe(error), { cause: error });
}

function faultOf(error: NodemailerError): MailDeliveryError["fault"] {
	const code = error.code ?? "";
	if (code === "EENVELOPE" || code === "EMESSAGE") return "mail";
	if (BEFORE_THE_MAIL.has(code)) return "transport";
	if (error.timeoutType !== undefined)
		return error.timeoutType === "SOCKET_TIMEOUT" ? "unclear" : "transport";
	if (code === "ESOCKET" && !BROKEN_CONNECTION.has(error.originalCode ?? "")) return "transport";
	return "unclear";
}

const NOT_ENCRYPTED =
	"mail is not sent in clear text: use smtps://, or ?tls=off or ?tls=opportunistic in LATCHKEY_SMTP_URL";

function describe(error: NodemailerError): string {
	// The server does not offer STARTTLS, or an attacker on the path strips it.
	const isNotEncrypted =
		error.code === "ETLS" && error.command === "STARTTLS" && error.response !== undefined;
	const parts = [
		error.originalCode ?? error.code,
		error.command,
		error.message,
		isNotEncrypted && NOT_ENCRYPTED,
	];
	return parts.filter(Boolean).join(" · ");
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
	const tls = url.searchParams.get("tls");
	const name = url.searchParams.get("name");
	if (tls !== null && (secure || hasPassword || (tls !== "off" && tls !== "opportunistic")))
		throw new Error(
			"the SMTP URL may have ?tls=off or ?tls=opportunistic only with smtp:// and without a password",
		);
	return {
		host,
		secure,
		port: url.port === "" ? (secure ? 465 : 587) : Number(url.port),
		requireTLS: !secure && !isLoopback && tls === null,
		ignoreTLS: tls === "off",
		...(name !== null && { name }),
		tls: { minVersion: "TLSv1.2", rejectUnauthorized: !isLoopback },
		...(hasPassword && {
			auth: { user: decodeURIComponent(url.username), pass: decodeURIComponent(url.password) },
		}),
	};
}
