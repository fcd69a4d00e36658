// The wire of relayed sign-ins: a trusted server names the address of the person in the signed body.

import type { CallingClient } from "../../../domain/signing-client.ts";
import { optional, text } from "../../../http/schema.ts";
import { invalidField } from "../../../kernel/error.ts";
import { parseIp, rateLimitKey } from "../../../kernel/ip.ts";
import type { Origin } from "../../../kernel/origin.ts";

const IP_TEXT_MAX = 45;
const USER_AGENT_MAX = 512;

/** For descriptions of endpoints that take relayed requests. */
export const RELAY_RULE =
	"For the server of an application that people sign in through. It names their address in the signed body, and limits, the session and the audit trail go by that address, counted for each API client apart. The session belongs to the client's application: its tokens pass no route that needs a role.";

/** The address of the person, from the body of a relayed request. */
interface RelayedFields {
	readonly ip: string;
	readonly user_agent?: string;
}

export const relayFields = {
	ip: text({
		max: IP_TEXT_MAX,
		description:
			"Address of the person who signs in, IPv4 or IPv6 without zone, as your server saw it. Limits, the session and the audit trail go by it.",
	}),
	user_agent: optional(
		text({ min: 0, max: USER_AGENT_MAX, description: "`User-Agent` of the person's browser." }),
	),
};

/**
 * The origin of the person. The language of mails is that of the relayed `Accept-Language` header.
 *
 * @throws AppError `request.invalid` that names the field `ip`.
 */
export function relayedOrigin({ id }: CallingClient, fields: RelayedFields, server: Origin): Origin {
	return {
		ip: namedAddress(fields.ip),
		userAgent: fields.user_agent ?? "",
		requestId: server.requestId,
		acceptLanguage: server.acceptLanguage,
		relayedBy: id,
	};
}

/** A relayed request counts against the limit of the named address and against the limit of its client. */
export function relayedCount({ id }: CallingClient, { ip }: RelayedFields) {
	return { caller: id, key: `relay:${id}:${rateLimitKey(namedAddress(ip))}` };
}

function namedAddress(ip: string): string {
	const address = parseIp(ip);
	if (address === undefined)
		throw invalidField("ip", "must be an IPv4 or IPv6 address without zone, brackets or port");
	return address.text;
}
