// The JSON Schema of configuration files, for editors.

import { documentJsonSchema, SCHEMA_PATH } from "../features/access/configuration/document-wire.ts";
import { describeRows } from "../features/access/configuration/rows-wire.ts";
import { type LazyPage, staticPage } from "../http/serve/static-page.ts";
import { describeRoutes } from "./described-routes.ts";

export function configurationSchema(): object {
	return documentJsonSchema(describeRows(describeRoutes()));
}

export function configurationSchemaPage(): [string, LazyPage] {
	const page = async () =>
		staticPage(
			Buffer.from(`${JSON.stringify(configurationSchema(), null, "\t")}\n`),
			"application/schema+json",
		);
	return [SCHEMA_PATH, page];
}
