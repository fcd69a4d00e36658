// The wire form of an application that acts for a user.

import { object, plain, time } from "../../../http/describe/schema.ts";
import { toWire } from "../../../http/describe/wire-form.ts";

export const actorSchema = object(
	{
		id: plain({ format: "uuid" }),
		actor_name: plain({ description: "The application that acts." }),
		api_name: plain({ description: "The application of the API at which it acts." }),
		front_name: plain({ description: "The application at which the user signed in." }),
		created_at: time({ description: "When it first acted within this sign-in." }),
		last_used_at: time({ description: "Written every few seconds." }),
	},
	{ title: "Actor" },
);
export const toWireActor = toWire(actorSchema);
