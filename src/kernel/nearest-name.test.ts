import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { findNearestName } from "./nearest-name.ts";

const KNOWN = [
	"LATCHKEY_HOST",
	"LATCHKEY_PORT",
	"LATCHKEY_HTTPS_PORT",
	"LATCHKEY_LOG_LEVEL",
	"LATCHKEY_DATA_DIR",
];

describe("findNearestName", () => {
	const meant: Record<string, string | undefined> = {
		LATCHKEY_PROT: "LATCHKEY_PORT",
		LATCHKEY_PORTS: "LATCHKEY_PORT",
		LATCHKEY_HTTP_PORT: "LATCHKEY_HTTPS_PORT",
		LATCHKEY_LOGLEVEL: "LATCHKEY_LOG_LEVEL",
		LATCHKEY_LOG_LEVLE: "LATCHKEY_LOG_LEVEL",
		latchkey_data_dir: "LATCHKEY_DATA_DIR",
		LATCHKEY_DATABASE_DIR: undefined,
		LATCHKEY_SOMETHING: undefined,
		LATCHKEY_: undefined,
	};
	for (const [name, known] of Object.entries(meant)) {
		it(`${name} → ${known}`, () => assert.equal(findNearestName(name, KNOWN, 9), known));
	}

	it("returns undefined for an empty list", () =>
		assert.equal(findNearestName("LATCHKEY_PORT", [], 9), undefined));
});
