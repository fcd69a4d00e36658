// The APIs for which an application asks for tokens, in every question to a person.

import { list, object, plain } from "../../../http/schema.ts";

export const askedApisSchema = list(
	object({ resource: plain(), name: plain({ description: "Of the application that is this API." }) }),
	{ description: "The APIs for which the application gets tokens." },
);
