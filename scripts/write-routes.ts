// Generates the route tables of docs/api.md from the registered routes; part of `npm run fix`.

import { readFileSync, writeFileSync } from "node:fs";
import { documentedRow } from "../test/docs/route-rows.ts";
import { mapOfRoutes } from "../test/harness/service/routes.ts";

const DOCUMENT = new URL("../docs/api.md", import.meta.url);
const ROWS = /(?:^\| `(?:GET|POST|PUT|PATCH|DELETE)` \|.*\n)+/m;

const routes = await mapOfRoutes();
const sections = readFileSync(DOCUMENT, "utf8").split(/^(?=### )/m);
const written = sections.map((section) => {
	const tag = /^### (.+)$/m.exec(section)?.[1];
	const rows = routes
		.filter((route) => route.tag === tag)
		.map((route) => `| ${documentedRow(route).join(" | ")} |\n`);
	return rows.length === 0 ? section : section.replace(ROWS, () => rows.join(""));
});
writeFileSync(DOCUMENT, written.join(""));
