// Writes the TypeScript types of the API to `build/api-types.ts` for the pages, if the code of the service is newer.

import {
	existsSync,
	mkdirSync,
	readdirSync,
	readFileSync,
	statSync,
	utimesSync,
	writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { crc32 } from "node:zlib";

const ROOT = join(import.meta.dirname, "..");
const OUTPUT = join(ROOT, "build/api-types.ts");

if (isStale()) {
	const [{ describeApi }, { default: generateTypes, astToString }] = await Promise.all([
		import("../test/docs/openapi-document.ts"),
		import("openapi-typescript"),
	]);
	const text = JSON.stringify(await describeApi());
	const head = `// Generated from the OpenAPI document ${crc32(text).toString(16)} by scripts/write-api-types.ts.\n\n`;
	mkdirSync(dirname(OUTPUT), { recursive: true });
	if (existsSync(OUTPUT) && readFileSync(OUTPUT, "utf8").startsWith(head))
		utimesSync(OUTPUT, new Date(), new Date());
	else {
		const types = astToString(await generateTypes(JSON.parse(text), { silent: true }));
		writeFileSync(OUTPUT, head + types);
	}
	// The database that describeApi() opened keeps the process alive.
	process.exit(0);
}

function isStale(): boolean {
	if (!existsSync(OUTPUT)) return true;
	const writtenAtMs = statSync(OUTPUT).mtimeMs;
	return readdirSync(join(ROOT, "src"), { recursive: true, withFileTypes: true }).some(
		(entry) => entry.isFile() && statSync(join(entry.parentPath, entry.name)).mtimeMs > writtenAtMs,
	);
}
