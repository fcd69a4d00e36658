import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { test } from "node:test";

/** Forms that `test/browser/every-form/` omits, with the reason. */
const ELSEWHERE: Readonly<Record<string, string>> = {
	"claim/check-string.tsx": "sends nothing: claim-and-withdraw.test.ts",
	"console/audit/restore.tsx": "previews with the request that it sends: console-audit.test.ts",
	"console/audit/saved-filters.tsx": "sends nothing: console-audit.test.ts",
	"console/bulk/run-dialog.tsx": "goes on after refused rows and waits by itself: console-bulk.test.ts",
	"console/configured-record.tsx":
		"asks before the calls of other forms, and sends nothing: console-configuration.test.ts",
	"console/editing/conflict-dialog.tsx":
		"asks before the calls of other forms, and sends nothing: console-conflicts.test.ts",
	"console/editing/save-bar.tsx": "asks before a navigation, and sends nothing: console-applications.test.ts",
	"console/gate/create-permission-dialog.tsx": "opens from the options of a field: console-gate.test.ts",
	"console/support/support.tsx": "needs an open support session: support.test.ts",
	"console/webhooks/replay-dialog.tsx": "sends again until nothing is left: console-webhooks.test.ts",
	"console/webhooks/test-dialog.tsx": "chooses an event, and sends nothing: console-webhooks.test.ts",
	"docs/call-form.tsx": "shows every response of the API unchanged: docs.test.ts",
};

const FORMS =
	/<(?:Form|StepForm|FormDialog|ConfirmAction|RegenerateDialog)\b|\b(?:confirmAction|deleteRecord)\(/;
/** Of the forms of a sign-in, and of the questions of the console. */
const SHELLS = ["pages/sign-in/step-form.tsx", "pages/console/dialogs.tsx"];

/** With forward slashes on every system. */
function files(pattern: string): string[] {
	return globSync(pattern).map((file) => file.replaceAll("\\", "/"));
}

test("every form of the pages is in a table of test/browser/every-form/", () => {
	const shown = files("pages/!(ui|dialogs)/**/*.tsx")
		.filter((file) => !SHELLS.includes(file) && FORMS.test(readFileSync(file, "utf8")))
		.map((file) => file.slice("pages/".length));
	const tables = files("test/browser/every-form/*.test.ts").map((file) => readFileSync(file, "utf8"));
	const tried = tables.flatMap((text) =>
		[...text.matchAll(/\bsource: "(.+?)"/g)].map(([, source]) => source),
	);
	assert.deepEqual([...new Set([...tried, ...Object.keys(ELSEWHERE)])].sort(), shown.sort());
});
