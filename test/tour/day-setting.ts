// Shared by the parts of an operator's day: the key, the mail server, names.

import type { MailServer } from "../harness/mail/mail-server.ts";
import type { Setting } from "./perform.ts";
import type { Variable } from "./words.ts";

export const API = "/api/v1";
/** The address of the first admin. */
export const OPERATOR = "ops@acme.test";
/** The name of the admin key. */
export const KEY_NAME = "Day scripts";

export interface Day extends Setting {
	readonly mails: MailServer;
	/** Addresses that the mail server refuses. */
	readonly refused: Set<string>;
	/** The access token of the first admin, for calls that keys cannot make. */
	readonly admin: Variable;
	readonly key: Variable;
}

/** Waits for `count` mails to the address. @returns the first group of the pattern in the newest match */
export async function readMail(
	{ stage, mails }: Day,
	address: string,
	pattern: RegExp,
	count = 1,
): Promise<string> {
	const taken = await mails.mailsTo(address, count).catch((error: Error) => stage.fail(error.message));
	const matched = taken.map(({ text }) => pattern.exec(text)?.[1]).filter((found) => found !== undefined);
	const found = matched.at(-1) ?? stage.fail(`no mail to ${address} has ${pattern.source}`);
	stage.say(
		`mail to ${address}: …${pattern.exec(taken.map(({ text }) => text).join("\n"))?.[0].split("#")[0]}…`,
	);
	return found;
}
