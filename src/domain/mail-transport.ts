// Rendered mails, and the port that sends them.

import type { Locale } from "./locale.ts";

/** One mailbox. `name` may be empty. */
export interface MailAddress {
	readonly name: string;
	readonly address: string;
}

const ADDRESS_MAX_LENGTH = 254;
const ADDRESS = /^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@(?:[A-Za-z0-9-]{1,63}\.)*[A-Za-z0-9-]{1,63}$/;

/**
 * Whether the text is exactly one plain ASCII address of at most 254 characters: no list, display name, quoted part,
 * comment, or address literal. The last check before an address reaches a mail server.
 */
export function isMailAddress(text: string): boolean {
	return text.length <= ADDRESS_MAX_LENGTH && ADDRESS.test(text);
}

/** A mail ready to send, identical at every attempt. Header values contain no control characters. */
export interface RenderedMail {
	/** The outbox id. */
	readonly id: string;
	/** With angle brackets. */
	readonly messageId: string;
	readonly createdAtMs: number;
	readonly locale: Locale;
	readonly from: MailAddress;
	readonly to: MailAddress;
	readonly subject: string;
	readonly text: string;
	readonly html: string;
	/** Further headers, by name. */
	readonly headers: Readonly<Record<string, string>>;
}

/** The readable parts of a mail, as it would be sent now. */
export type MailPreview = Pick<RenderedMail, "from" | "to" | "locale" | "subject" | "text">;

/** The most concurrent deliveries, including slow ones. */
export const MAIL_UNDER_WAY_MAX = 16;

/** Sends mails. Must support `MAIL_UNDER_WAY_MAX` concurrent sends. */
export interface MailTransport {
	/**
	 * Resolves with the server's response when it has accepted the mail, or with the file's path. An aborted `signal`
	 * ends it. `beforeHandover` is awaited just before the message itself is sent, and its rejection ends the attempt; a
	 * transport for which sending twice is harmless does not call it.
	 *
	 * @throws MailDeliveryError
	 */
	send(mail: RenderedMail, signal?: AbortSignal, beforeHandover?: () => Promise<void>): Promise<string>;
	/** Resolves when mail can be sent now; takes at most 30 s. @throws MailDeliveryError with the fault `transport`. */
	verify(): Promise<void>;
	/** Closes every connection, including those in use. */
	close(): void;
}

/**
 * The cause of a failed attempt: this `mail` (its recipient or content was refused), the `transport` (no mail can be
 * sent: unreachable, wrong login, bad certificate), or `unclear` (the connection stalled or broke; `verify` decides).
 */
export type DeliveryFault = "mail" | "transport" | "unclear";

/** Why a mail was not sent. `permanent`: the same mail would be refused again. The message is for operators. */
export class MailDeliveryError extends Error {
	readonly fault: DeliveryFault;
	readonly permanent: boolean;

	constructor(fault: DeliveryFault, permanent: boolean, message: string, options?: ErrorOptions) {
		super(message, options);
		this.name = "MailDeliveryError";
		this.fault = fault;
		this.permanent = permanent;
	}
}
