// Authenticates the proxy or the middleware that sends a request to a gate.

import { matchesDigest } from "../../../crypto/digest.ts";
import { type AskedGate, liveGateKeys } from "../../../domain/gate.ts";
import type { Incoming } from "../../../http/run/incoming.ts";
import { AppError } from "../../../kernel/error.ts";
import { parseId } from "../../../kernel/id.ts";
import type { Needs } from "../../platform.ts";
import { type RefusalLimit, senderKey } from "./gate-limits.ts";

export interface AdmittedProxy {
	readonly applicationId: string;
	readonly gate: AskedGate;
}

/** The gate in the path, which may not exist; undefined for a malformed id. */
export function askedGateId({ path }: Pick<Incoming, "path">): string | undefined {
	return parseId(path.split("/")[2] ?? "");
}

/**
 * Also names the tenant of the request. The right key always passes: the address is that of a browser, and
 * any page could otherwise block its visitors.
 *
 * @throws AppError `gate.key`, the same for a missing gate and a wrong key; `request.too_many` after too many of these.
 */
export async function admitProxy(
	{ db, clock }: Needs<"gates", "clock">,
	keyLimit: RefusalLimit,
	request: Incoming,
): Promise<AdmittedProxy> {
	const applicationId = askedGateId(request);
	const gate = applicationId === undefined ? undefined : await db.stores.gates.findAsked(applicationId);
	const [key = "", ...others] = request.headerValues("x-gate-key");
	const digests = gate === undefined ? [] : liveGateKeys(gate, clock());
	if (
		gate === undefined ||
		applicationId === undefined ||
		others.length > 0 ||
		!matchesDigest(key, digests)
	) {
		keyLimit.check(senderKey(request.ip));
		throw new AppError("gate.key", "X-Gate-Key must be the key of a gate, sent once");
	}
	request.tenantId = gate.tenantId;
	return { applicationId, gate };
}

/** A key in a URL would be in logs. @throws AppError `gate.request` */
export function refuseKeyInQuery({ queryText }: Pick<Incoming, "queryText">): void {
	if (queryText === "") return;
	const names = [...new URLSearchParams(queryText).keys()];
	if (names.some((name) => name.toLowerCase() === "x-gate-key"))
		throw new AppError("gate.request", "X-Gate-Key must be a header, not a query parameter");
}
