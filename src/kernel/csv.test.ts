import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { csvLine } from "./csv.ts";

describe("csvLine", () => {
	test("ends lines with CRLF and quotes only where needed", () => {
		assert.equal(
			csvLine(["a", "", 'say "hi"', "x,y", "two\nlines", "b c"]),
			'a,,"say ""hi""","x,y","two\nlines",b c\r\n',
		);
	});

	test("quotes what another separator would split, so that no text moves to the next column", () => {
		assert.equal(csvLine(["Ada;admin", "a\tb"]), '"Ada;admin","a\tb"\r\n');
	});

	test("joins lists of texts, and writes other objects as JSON", () => {
		assert.equal(
			csvLine([["admin", "auditor"], [], { to: [1] }, null, undefined, 7, false]),
			'"admin, auditor",,"{""to"":[1]}",,,7,false\r\n',
		);
	});

	test("prefixes formulas", () => {
		for (const text of ["=1+1", "+1", "-1", "@sum(a1)", "  =1", "＝1"])
			assert.equal(csvLine([text]), `'${text}\r\n`, text);
		assert.equal(csvLine(["\ttab"]), '"\'\ttab"\r\n');
		assert.equal(csvLine(["\rx"]), '"\'\rx"\r\n');
		assert.equal(csvLine(['=cmd("x")']), '"\'=cmd(""x"")"\r\n');
		assert.equal(csvLine([["=1", "a"]]), '"\'=1, a"\r\n');
		assert.equal(csvLine(["a=1", "1-2", "{}", "a; b"]), 'a=1,1-2,{},"a; b"\r\n');
	});

	test("prefixes formulas that begin where a spreadsheet with another separator ends a cell", () => {
		assert.equal(csvLine(["a;=1", "a\t@b", "a; =1"]), '"a;\'=1","a\t\'@b","a;\' =1"\r\n');
		assert.equal(csvLine(["a\n=1\r\n+2"]), "\"a\n'=1\r\n'+2\"\r\n");
	});

	test("prefixes formulas behind quotes, which a spreadsheet removes at the start of a cell", () => {
		assert.equal(csvLine(['"=1']), '"\'""=1"\r\n');
		assert.equal(csvLine(['a;"=1;b']), '"a;\'""=1;b"\r\n');
		assert.equal(csvLine(['a;" "@b']), '"a;\'"" ""@b"\r\n');
	});
});
