// Settings that the service refuses to start with.

import assert from "node:assert/strict";
import { loadConfig } from "../../../src/config/load.ts";
import { ConfigError } from "../../../src/config/setting.ts";

/** The error message of a start with `env`: one line that names the setting first. */
export function refusalOf(env: Record<string, string>): string {
	try {
		loadConfig(env);
	} catch (error) {
		assert.ok(error instanceof ConfigError);
		assert.ok(!error.message.includes("\n"), "one line");
		assert.ok(error.message.startsWith(`${error.variable} `), error.message);
		return error.message;
	}
	assert.fail(`must refuse ${JSON.stringify(env)}`);
}
