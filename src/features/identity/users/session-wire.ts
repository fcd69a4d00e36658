// The wire form of a session, for its user and for administrators.

import type { Session } from "../../../domain/session.ts";
import { boolean, type Infer, nullable, object, plain, time } from "../../../http/schema.ts";
import { toWire } from "../../../http/wire-form.ts";
import { describeDevice } from "../../../kernel/device.ts";

export const sessionSchema = object(
	{
		id: plain({ format: "uuid" }),
		current: boolean({ description: "Whether this is the session of the access token in use." }),
		app_id: nullable(
			plain({ format: "uuid", description: "The application signed in to, if one was named." }),
		),
		ip: plain({ description: "Where it was last refreshed from." }),
		device: plain({ description: "`user_agent` in words, e.g. `Firefox on Linux`." }),
		user_agent: plain(),
		created_at: time(),
		last_used_at: time({ description: "When it was begun or last refreshed." }),
		expires_at: time({ description: "When it ends unless it is refreshed before." }),
	},
	{ title: "Session" },
);

const toWireForm = toWire(sessionSchema);

/** @param currentId the session of the caller; null for an admin key. */
export function toWireSession(session: Session, currentId: string | null): Infer<typeof sessionSchema> {
	return toWireForm({
		...session,
		current: session.id === currentId,
		device: describeDevice(session.userAgent),
		expiresAtMs: session.refreshExpiresAtMs,
	});
}
