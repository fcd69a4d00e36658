// The JSON Schema of configuration files, for editors.

import { SCHEMA_PATH } from "../features/access/configuration/resource-table.ts";
import { describeRows } from "../features/access/configuration/rows-wire.ts";
import type { Page } from "../http/serve/page.ts";
import { filePage, staticPage } from "../http/serve/static-page.ts";
import { describeRoutes } from "./described-routes.ts";

export async function configurationSchema(): Promise<object> {
	const { documentJsonSchema } = await import("../features/access/configuration/document-wire.ts");
	return documentJsonSchema(describeRows(describeRoutes()));
}

export function configurationSchemaPage(): Page {
	const page = async () => {
		const text = `${JSON.stringify(await configurationSchema(), null, "\t")}\n`;
		return staticPage(Buffer.from(text), "application/schema+json");
	};
	return filePage(SCHEMA_PATH, page);
}
