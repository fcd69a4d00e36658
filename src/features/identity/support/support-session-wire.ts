// The wire form of a support session.

import { nullable, object, plain, time } from "../../../http/describe/schema.ts";
import { toWire } from "../../../http/describe/wire-form.ts";

const shown = {
	id: plain({ format: "uuid" }),
	app_id: nullable(plain({ format: "uuid" })),
	app_name: nullable(plain()),
	reason: plain(),
	ticket: plain(),
	created_at: time(),
	opened_at: nullable(time("Null: nothing was read.")),
	ended_at: nullable(time("Null: it was not ended before `expires_at`.")),
	expires_at: time(),
};

export const supportSessionSchema = object(
	{
		user_id: plain({ format: "uuid", description: "The person." }),
		username: plain(),
		supporter_id: nullable(plain({ format: "uuid", description: "Null if the supporter was deleted." })),
		supporter_name: nullable(plain()),
		...shown,
	},
	{ title: "SupportSession" },
);
export const toWireSupport = toWire(supportSessionSchema);

/** For the export of the person, which names no other person. */
export const ownSupportSchema = object(shown, { title: "OwnSupportSession" });
export const toWireOwnSupport = toWire(ownSupportSchema);
