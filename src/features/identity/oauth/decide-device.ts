// The user's decision on a device that shows a code (RFC 8628, section 3.3).

import { userTarget } from "../../../domain/audit.ts";
import { type DeviceRequest, deviceNotFound, parseUserCode } from "../../../domain/device-code.ts";
import type { PresentedOAuthClient } from "../../../domain/oauth-client.ts";
import { covers, type RequestedConsent } from "../../../domain/oauth-consent.ts";
import { checkInPerson, type SignedIn } from "../../../domain/session.ts";
import { ANY_ADDRESS, userCodeAttempt } from "../../../domain/sign-in-attempt.ts";
import type { Stores } from "../../../domain/stores.ts";
import { AppError, found } from "../../../kernel/error.ts";
import type { Needs } from "../../platform.ts";
import { consentOf, getEnteringSession, resolveRequested } from "./decide-interaction.ts";

type Needed = Needs<
	"oauthClients" | "oauthConsents" | "sessions" | "audit" | "loginFailures",
	"clock" | "openId" | "openIdRules" | "attempts"
>;

interface PresentedDevice {
	readonly device: DeviceRequest;
	readonly client: PresentedOAuthClient;
}

/**
 * The device that waits with this code, for a user in the tenant of its application. Wrong codes count against the
 * account, and against the IP address like wrong passwords.
 *
 * @throws AppError `application.token`; `device.not_found`, for every reason; `code.too_many`, `service.overloaded`.
 */
export async function getDevice(needs: Needed, typed: string, caller: SignedIn): Promise<PresentedDevice> {
	checkInPerson(caller, "decide on a device");
	const userCode = found(parseUserCode(typed), deviceNotFound);
	const { tenantId, userId, origin } = caller;
	const attempt = { ...userCodeAttempt(tenantId, userId), address: origin.ip };
	const verify = async (): Promise<PresentedDevice> => {
		const presented = found(await findDevice(needs, userCode, tenantId), deviceNotFound);
		// Released, not cleared: an attacker could enter a correct code of their own between guesses.
		await needs.db.transaction(async ({ loginFailures }) => {
			await loginFailures.release(tenantId, attempt.name, attempt.ip);
			await loginFailures.release(tenantId, attempt.account, ANY_ADDRESS);
		});
		return presented;
	};
	return await needs.attempts.run(attempt, verify).catch((error: unknown) => {
		throw error instanceof AppError && error.code === "login.too_many" ? tooManyCodes(error) : error;
	});
}

/**
 * Grants the application what it requested, in the user's session and until that session ends.
 *
 * @throws AppError what `getDevice` and `getEnteringSession` throw.
 */
export async function approveDevice(needs: Needed, typed: string, caller: SignedIn): Promise<void> {
	const presented = await getDevice(needs, typed, caller);
	const { device, client } = presented;
	const session = await getEnteringSession(needs, client, device.asked, caller);
	const consent = await resolveRequested(needs, client.tenantId, device.asked);
	await needs.openId.approveDevice(parseUserCode(typed) ?? "", {
		session,
		client,
		consent,
		record: (stores, issue) =>
			recordApproval(needs, stores, { ...presented, requested: consent }, caller, issue),
	});
}

/** @throws AppError what `getDevice` throws. */
export async function denyDevice(needs: Needed, typed: string, caller: SignedIn): Promise<void> {
	await getDevice(needs, typed, caller);
	await needs.openId.denyDevice(parseUserCode(typed) ?? "");
}

async function findDevice(
	{ db, openId }: Needed,
	userCode: string,
	tenantId: string,
): Promise<PresentedDevice | undefined> {
	const device = (await openId.isUsed()) ? await openId.findDevice(userCode) : undefined;
	if (device === undefined) return undefined;
	const client = await db.stores.oauthClients.findPresented(device.clientId);
	const isHere = client?.tenantId === tenantId && client.deviceFlow && client.application.status === "active";
	return isHere ? { device, client } : undefined;
}

/** Locks the consent before reading it, and writes the audit trail last: the lock order of `withdrawConsent`. */
async function recordApproval(
	{ clock }: Needed,
	{ oauthConsents, audit }: Stores<"oauthConsents" | "audit">,
	{ device: { ip }, client, requested }: PresentedDevice & { readonly requested: RequestedConsent },
	caller: SignedIn,
	issue: () => Promise<void>,
): Promise<void> {
	const { consent, details } = consentOf(requested, client, caller, clock());
	const { userId, clientId } = consent;
	const isHeld = await oauthConsents.hold(userId, clientId);
	const before = isHeld ? await oauthConsents.find(userId, clientId) : undefined;
	const isNew = !client.firstParty && !covers(before, requested);
	if (isNew) await oauthConsents.add(consent);
	await issue();
	const target = userTarget(caller.user);
	if (isNew) await audit.append(caller, "oauth.consented", target, details);
	const device = { ...details, session_id: caller.sessionId, device_ip: ip };
	await audit.append(caller, "oauth.device_approved", target, device);
}

function tooManyCodes({ retryAfterSeconds = 1, headers }: AppError): AppError {
	const message = `too many wrong codes, try again in ${retryAfterSeconds} s`;
	return new AppError("code.too_many", message, { retryAfterSeconds, headers });
}
