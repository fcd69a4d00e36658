// Writes the TypeScript types of the API, if the code of the service is newer: `build/api-types.ts` for the pages, and
// `build/admin-api.d.ts` for the package, with the routes that admit admin keys.

import {
	existsSync,
	mkdirSync,
	readdirSync,
	readFileSync,
	renameSync,
	statSync,
	utimesSync,
	writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { crc32 } from "node:zlib";
import type { OpenApi } from "../src/http/openapi/openapi.ts";
import type { Operation } from "../test/docs/openapi-document.ts";

const ROOT = join(import.meta.dirname, "..");
const OUTPUT = join(ROOT, "build/api-types.ts");
const ADMIN_OUTPUT = join(ROOT, "build/admin-api.d.ts");
const REFERENCES = /\x22#.components.[^\x22]+\x22/g;

if (isStale(OUTPUT) || isStale(ADMIN_OUTPUT)) {
	const { describeApi } = await import("../test/docs/openapi-document.ts");
	const document = (await describeApi()) as unknown as OpenApi;
	await write(OUTPUT, document);
	await write(ADMIN_OUTPUT, ofAdminKeys(document));
	// The database that describeApi() opened keeps the process alive.
	process.exit(0);
}

function isStale(output: string): boolean {
	if (!existsSync(output)) return true;
	const writtenAtMs = statSync(output).mtimeMs;
	return readdirSync(join(ROOT, "src"), { recursive: true, withFileTypes: true }).some(
		(entry) => entry.isFile() && statSync(join(entry.parentPath, entry.name)).mtimeMs > writtenAtMs,
	);
}

async function write(output: string, document: object): Promise<void> {
	const text = JSON.stringify(document);
	const head = `// Generated from the OpenAPI document ${crc32(text).toString(16)} by scripts/write-api-types.ts.\n\n`;
	if (existsSync(output) && readFileSync(output, "utf8").startsWith(head))
		return utimesSync(output, new Date(), new Date());
	const { default: generateTypes, astToString } = await import("openapi-typescript");
	const types = astToString(await generateTypes(JSON.parse(text), { silent: true }));
	mkdirSync(dirname(output), { recursive: true });
	// Another process may read the file at this moment.
	const unfinished = `${output}-${process.pid}`;
	writeFileSync(unfinished, head + types);
	renameSync(unfinished, output);
}

/** What admin keys may call, without refusals, which are thrown, and without files. */
function ofAdminKeys(document: OpenApi): object {
	const paths = Object.fromEntries(
		Object.entries(document.paths).flatMap(([path, methods]) => {
			const kept = Object.entries(methods as Record<string, Operation>)
				.filter(([, { security }]) => security.some((scheme) => "adminKey" in scheme))
				.filter(([, { requestBody, responses }]) => ![requestBody, responses["200"]].some(isFile))
				.map(([method, operation]) => [method, withoutRefusals(operation)] as const);
			return kept.length === 0 ? [] : [[path, Object.fromEntries(kept)] as const];
		}),
	);
	return { ...document, webhooks: undefined, paths, components: componentsOf(document, { paths }) };
}

/** A body that is no JSON, of a request or a response. */
function isFile(body: unknown): boolean {
	const { content } = (body ?? {}) as { readonly content?: Readonly<Record<string, unknown>> };
	return content !== undefined && !("application/json" in content);
}

function withoutRefusals(operation: Operation): object {
	const accepted = Object.entries(operation.responses).filter(([status]) => status.startsWith("2"));
	return { ...operation, responses: Object.fromEntries(accepted) };
}

/** The parts that `content` references, directly or through other parts, in the order of the whole document. */
function componentsOf({ components }: OpenApi, content: object): object {
	const used = new Set<string>(
		Object.keys(components.securitySchemes ?? {}).map((name) => `securitySchemes/${name}`),
	);
	const visit = (part: unknown): void => {
		for (const reference of JSON.stringify(part).match(REFERENCES) ?? []) {
			const [, , kind = "", name = ""] = reference.slice(1, -1).split("/");
			if (used.has(`${kind}/${name}`)) continue;
			used.add(`${kind}/${name}`);
			visit(components[kind]?.[name]);
		}
	};
	visit(content);
	const kinds = Object.entries(components).map(([kind, parts]) => {
		const kept = Object.entries(parts).filter(([name]) => used.has(`${kind}/${name}`));
		return [kind, Object.fromEntries(kept)] as const;
	});
	return Object.fromEntries(kinds.filter(([, parts]) => Object.keys(parts).length > 0));
}
