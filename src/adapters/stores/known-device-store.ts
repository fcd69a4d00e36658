// Devices with which users signed in, in SQL.

import { DEVICE_KNOWN_DAYS, type KnownDeviceStore } from "../../domain/sign-in.ts";
import { DAY_MS } from "../../kernel/clock.ts";
import type { Queries } from "../sql/queries.ts";
import { before } from "../sql/table-columns.ts";
import { knownDevices } from "../sql/tables/account-tables.ts";

const KNOWN_MS = DEVICE_KNOWN_DAYS * DAY_MS;
const putUnlessKnown = knownDevices.insertWith({
	onConflict: `(user_id, device_digest) DO UPDATE SET last_seen_at = excluded.last_seen_at
		WHERE known_devices.last_seen_at <= {0}`,
});

export function createKnownDeviceStore(queries: Queries): KnownDeviceStore {
	return {
		async note(tenantId, userId, deviceDigest, nowMs) {
			const device = { tenantId, userId, deviceDigest, lastSeenAtMs: nowMs };
			if ((await putUnlessKnown(queries, device, nowMs - KNOWN_MS)) === 1) return false;
			await knownDevices.update(
				queries,
				{ lastSeenAtMs: nowMs },
				{ userId, deviceDigest, tenantId, lastSeenAtMs: before(nowMs) },
			);
			return true;
		},
		purge: (nowMs, limit) => knownDevices.purge(queries, "last_seen_at <= $1", nowMs - KNOWN_MS, limit),
	};
}
