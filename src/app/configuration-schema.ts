// The JSON Schema of configuration files, for editors.

import { SCHEMA_PATH } from "../features/access/configuration/resource-table.ts";
import { describeRows } from "../features/access/configuration/rows-wire.ts";
import { type LazyPage, staticPage } from "../http/serve/static-page.ts";
import { describeRoutes } from "./described-routes.ts";

export async function configurationSchema(): Promise<object> {
	const { documentJsonSchema } = await import("../features/access/configuration/document-wire.ts");
	return documentJsonSchema(describeRows(describeRoutes()));
}

export function configurationSchemaPage(): [string, LazyPage] {
	const page = async () => {
		const text = `${JSON.stringify(await configurationSchema(), null, "\t")}\n`;
		return staticPage(Buffer.from(text), "application/schema+json");
	};
	return [SCHEMA_PATH, page];
}
