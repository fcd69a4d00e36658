// Tells the owner of an account of a sign-in from where it was not used lately.

import { isoTime } from "../../kernel/clock.ts";
import { describeDevice, networkOf } from "../../kernel/device.ts";
import type { Origin } from "../../kernel/origin.ts";
import { type MailOutbox, parseLocale } from "../mail/model.ts";
import type { User } from "../users/model.ts";
import type { KnownDeviceStore } from "./model.ts";

export interface DeviceStores {
	readonly knownDevices: KnownDeviceStore;
	readonly mail: MailOutbox;
}

/** What is stored of a device. */
export interface DeviceDigests {
	deviceDigest(userId: string, device: string, network: string): string;
}

/**
 * In the transaction of the sign-in. A device is a kind of program in a network. The very first sign-in of an account is
 * no news to its owner.
 *
 * @param user as it was before this sign-in.
 * @returns whether the owner is mailed.
 */
export async function noticeDevice(
	{ knownDevices, mail }: DeviceStores,
	keys: DeviceDigests,
	user: User,
	origin: Origin,
	nowMs: number,
): Promise<boolean> {
	const device = describeDevice(origin.userAgent);
	const digest = keys.deviceDigest(user.id, device, networkOf(origin.ip));
	const isKnown = await knownDevices.note(user.tenantId, user.id, digest, nowMs);
	if (isKnown || user.lastLoginAtMs === null) return false;
	await mail.put({
		tenantId: user.tenantId,
		to: user.email,
		toName: user.displayName || user.username,
		locale: parseLocale(origin.acceptLanguage),
		message: { kind: "new_device", username: user.username, device, ip: origin.ip, at: isoTime(nowMs) },
	});
	return true;
}
