import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { isSameName } from "../../pages/ui/same-name.ts";
import { isolateRuns, isolating } from "../../pages/words/isolate.ts";

const LAYLA = "ليلى";

describe("names inside texts of the pages", () => {
	const words = isolating({
		plain: "People",
		steps: ["one", "two"],
		deep: { remove: (name: string, group: string) => `Remove ${name} from ${group}?` },
		left: (count: number) => `${count} left`,
	});

	test("isolates a right-to-left name and one that overrides the direction", () => {
		assert.equal(words.deep.remove(LAYLA, "Sales"), `Remove \u2068${LAYLA}\u2069 from Sales?`);
		assert.equal(words.deep.remove("Ada", "\u202eselaS"), "Remove Ada from \u2068\u202eselaS\u2069?");
	});

	test("leaves other text unchanged", () => {
		assert.equal(words.deep.remove("Ada", "张伟"), "Remove Ada from 张伟?");
		assert.equal(words.left(3), "3 left");
		assert.deepEqual([words.plain, words.steps], ["People", ["one", "two"]]);
	});

	test("isolates runs of right-to-left letters in a text of the API", () => {
		assert.equal(isolateRuns(`admin added ${LAYLA} to Sales`), `admin added \u2068${LAYLA}\u2069 to Sales`);
		assert.equal(isolateRuns(`to ${LAYLA} ${LAYLA} now`), `to \u2068${LAYLA} ${LAYLA}\u2069 now`);
		assert.equal(isolateRuns("admin added ada to 销售"), "admin added ada to 销售");
	});

	test("shows invisible characters of a text of the API as escapes, but not joiners", () => {
		assert.equal(
			isolateRuns("{ \u202e\u200b\u{e0041}\u{1f468}\u200d }\n"),
			"{ \\u{202e}\\u{200b}\\u{e0041}\u{1f468}\u200d }\n",
		);
	});

	test("accepts a name that was copied with its isolates", () => {
		assert.ok(isSameName(` \u2068${LAYLA}\u2069`, LAYLA));
		assert.ok(!isSameName(LAYLA, `${LAYLA} 2`));
	});
});
