// The wire form of a mail in a list: never its content.

import { MAIL_STATES } from "../../../domain/mail.ts";
import { choice, integer, nullable, object, plain, time } from "../../../http/schema.ts";
import { toWire } from "../../../http/wire-form.ts";

export const mailSchema = object(
	{
		id: plain({ format: "uuid", description: "Part of the `Message-ID`." }),
		at: time({ description: "When it was written." }),
		to: plain({ description: 'One address; `""` for a mail that a version before 0.2 wrote.' }),
		subject: plain({ description: 'Without codes; `""` like `to`.' }),
		state: choice(MAIL_STATES, {
			description: "`failed` mails are tried no more, until they are sent again.",
		}),
		attempts: integer({ description: "Including the current attempt." }),
		next_at: nullable(
			time({ description: "Null unless the mail waits. May be past while the mail server is away." }),
		),
		last_error: plain({ description: 'Why the last attempt failed; `""` without a failure.' }),
	},
	{ title: "Mail" },
);

export const toWireMail = toWire(mailSchema);
