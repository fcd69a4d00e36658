// The wire form of a passkey.

import { boolean, list, nullable, object, plain, time } from "../../../http/describe/schema.ts";
import { toWire } from "../../../http/describe/wire-form.ts";

export const passkeySchema = object(
	{
		id: plain({ format: "uuid" }),
		name: plain(),
		synced: boolean("Whether it can be on several devices of its owner."),
		automatic: boolean(
			"Whether the browser created it after a sign-in without a question. It signs in alone, but makes no second factor required.",
		),
		transports: list(plain(), { examples: [["internal", "hybrid"]] }),
		aaguid: plain("Model of the authenticator. All zeros if it is not disclosed."),
		created_at: time(),
		last_used_at: nullable(time()),
	},
	{ title: "Passkey" },
);

export const toWirePasskey = toWire(passkeySchema);
