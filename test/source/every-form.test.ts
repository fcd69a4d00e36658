import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { test } from "node:test";

/** Forms that `test/browser/every-form/` omits, with the reason. */
const ELSEWHERE: Readonly<Record<string, string>> = {
	"claim/check-string.tsx": "sends nothing: claim-and-withdraw.test.ts",
	"console/audit/saved-filters.tsx": "sends nothing: console-audit.test.ts",
	"console/bulk/run-dialog.tsx": "goes on after refused rows and waits by itself: console-bulk.test.ts",
	"console/editing/save-bar.tsx": "asks before a navigation, and sends nothing: console-applications.test.ts",
	"docs/call-form.tsx": "shows every response of the API unchanged: docs.test.ts",
};

/** With forward slashes on every system. */
function files(pattern: string): string[] {
	return globSync(pattern).map((file) => file.replaceAll("\\", "/"));
}

test("every form of the pages is in a table of test/browser/every-form/", () => {
	const shown = files("pages/!(ui|dialogs)/**/*.tsx")
		.filter((file) =>
			/<(?:Form|FormDialog|ConfirmAction|RegenerateDialog)\b|\buseDelete\(/.test(readFileSync(file, "utf8")),
		)
		.map((file) => file.slice("pages/".length));
	const tables = files("test/browser/every-form/*.test.ts").map((file) => readFileSync(file, "utf8"));
	const tried = tables.flatMap((text) =>
		[...text.matchAll(/\bsource: "(.+?)"/g)].map(([, source]) => source),
	);
	assert.deepEqual([...new Set([...tried, ...Object.keys(ELSEWHERE)])].sort(), shown.sort());
});
