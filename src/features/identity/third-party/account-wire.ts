// The wire form of a linked third-party account.

import { object, plain, time } from "../../../http/describe/schema.ts";
import { toWire } from "../../../http/describe/wire-form.ts";

export const accountSchema = object(
	{
		id: plain({ format: "uuid" }),
		provider: plain("Slug of the provider, e.g. `wechat`."),
		provider_user_id: plain("The user's id at the provider."),
		linked_at: time(),
	},
	{ title: "ThirdPartyAccount" },
);

export const toWireAccount = toWire(accountSchema);
