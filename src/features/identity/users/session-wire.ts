// The wire form of a session, for its user and for administrators.

import type { Session } from "../../../domain/session.ts";
import {
	boolean,
	type Infer,
	integer,
	nullable,
	object,
	plain,
	time,
} from "../../../http/describe/schema.ts";
import { toWire } from "../../../http/describe/wire-form.ts";
import { describeDevice, readDevice } from "../../../kernel/device.ts";

export const sessionSchema = object(
	{
		id: plain({ format: "uuid" }),
		current: boolean("Whether this is the session of the access token in use."),
		app_id: nullable(
			plain({ format: "uuid", description: "The application that the user signed in to, if any." }),
		),
		ip: plain("The IP address of the last refresh."),
		device: plain("`user_agent` in words, e.g. `Firefox on Linux`."),
		device_client: nullable(
			plain({ description: "The browser or client in `device`; null if unknown.", examples: ["Firefox"] }),
		),
		device_system: nullable(
			plain({ description: "The operating system in `device`; null if unknown.", examples: ["Linux"] }),
		),
		user_agent: plain(),
		created_at: time(),
		last_used_at: time("When it began or was last refreshed."),
		expires_at: time("When it expires unless it is refreshed."),
	},
	{ title: "Session" },
);

/** For requests that end several sessions. */
export function endedSessions(description: string) {
	return object({ sessions_revoked: integer({ description }) });
}

const toWireForm = toWire(sessionSchema);

/** @param currentId the session of the caller; null for an admin key. */
export function toWireSession(session: Session, currentId: string | null): Infer<typeof sessionSchema> {
	const { client, system } = readDevice(session.userAgent);
	return toWireForm({
		...session,
		current: session.id === currentId,
		device: describeDevice(session.userAgent),
		deviceClient: client,
		deviceSystem: system,
		expiresAtMs: session.refreshExpiresAtMs,
	});
}
