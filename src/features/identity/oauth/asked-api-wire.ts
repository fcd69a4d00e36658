// The APIs for which an application requests tokens, as shown to the user.

import { list, object, plain } from "../../../http/schema.ts";

export const askedApisSchema = list(
	object({ resource: plain(), name: plain({ description: "Of the application that is this API." }) }),
	{ description: "The APIs for which the application gets tokens." },
);
