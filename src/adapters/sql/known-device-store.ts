// Devices people signed in with, in SQL.

import { DEVICE_KNOWN_DAYS, type KnownDeviceStore } from "../../features/auth/model.ts";
import { DAY_MS } from "../../kernel/clock.ts";
import type { Queries } from "./engine.ts";

const KNOWN_MS = DEVICE_KNOWN_DAYS * DAY_MS;

export function createKnownDeviceStore(queries: Queries): KnownDeviceStore {
	return {
		async note(tenantId, userId, deviceDigest, nowMs) {
			const met = await queries.run(
				`INSERT INTO known_devices (tenant_id, user_id, device_digest, last_seen_at) VALUES ($1, $2, $3, $4)
				 ON CONFLICT (user_id, device_digest) DO UPDATE SET last_seen_at = excluded.last_seen_at
				 WHERE known_devices.last_seen_at <= $5`,
				tenantId,
				userId,
				deviceDigest,
				nowMs,
				nowMs - KNOWN_MS,
			);
			if (met === 1) return false;
			await queries.run(
				"UPDATE known_devices SET last_seen_at = $4 WHERE user_id = $1 AND device_digest = $2 AND tenant_id = $3 AND last_seen_at < $4",
				userId,
				deviceDigest,
				tenantId,
				nowMs,
			);
			return true;
		},
		purge: (nowMs, limit) =>
			queries.run(
				`DELETE FROM known_devices WHERE (user_id, device_digest) IN
				 (SELECT user_id, device_digest FROM known_devices WHERE last_seen_at <= $1 LIMIT $2)`,
				nowMs - KNOWN_MS,
				limit,
			),
	};
}
