// Mails the owner of an account when a sign-in comes from a device that is not known.

import type { KeyedDigests } from "../../../domain/keyed-digests.ts";
import type { Stores } from "../../../domain/stores.ts";
import type { User } from "../../../domain/user.ts";
import { isoTime } from "../../../kernel/clock.ts";
import { describeDevice, networkOf } from "../../../kernel/device.ts";
import type { Origin } from "../../../kernel/origin.ts";
import { mailOwner } from "./mail-owner.ts";

/**
 * Inside the transaction of the sign-in. A device is a kind of program in a network. The first sign-in of an account
 * causes no mail.
 *
 * @param user as before this sign-in.
 * @returns whether a mail was written.
 */
export async function notifyNewDevice(
	stores: Stores<"knownDevices" | "mail">,
	keys: Pick<KeyedDigests, "deviceDigest">,
	user: User,
	origin: Origin,
	nowMs: number,
): Promise<boolean> {
	const device = describeDevice(origin.userAgent);
	const digest = keys.deviceDigest(user.id, device, networkOf(origin.ip));
	const isKnown = await stores.knownDevices.note(user.tenantId, user.id, digest, nowMs);
	if (isKnown || user.lastLoginAtMs === null) return false;
	const message = { username: user.username, device, ip: origin.ip, at: isoTime(nowMs) };
	await mailOwner(stores, user, { kind: "new_device", ...message }, origin);
	return true;
}
