import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { csvLine } from "./export-events.ts";

describe("csvLine", () => {
	test("ends lines with CRLF and quotes only where needed", () => {
		assert.equal(
			csvLine(["a", "", 'say "hi"', "x,y", "two\nlines"]),
			'a,,"say ""hi""","x,y","two\nlines"\r\n',
		);
	});

	test("prefixes formulas", () => {
		for (const text of ["=1+1", "+1", "-1", "@sum(a1)", "\ttab"])
			assert.equal(csvLine([text]), `'${text}\r\n`, text);
		assert.equal(csvLine(["\rx"]), '"\'\rx"\r\n');
		assert.equal(csvLine(['=cmd("x")']), '"\'=cmd(""x"")"\r\n');
		assert.equal(csvLine(["a=1", "1-2", "{}"]), "a=1,1-2,{}\r\n");
	});
});
