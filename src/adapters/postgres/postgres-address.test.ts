import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { StartError } from "../../kernel/start-error.ts";
import { parsePostgresUrl } from "./postgres-address.ts";

function complaint(url: string): string {
	try {
		parsePostgresUrl(url);
	} catch (error) {
		assert.ok(error instanceof StartError);
		assert.ok(!error.message.includes("hunter2") && !error.message.includes("\n"), error.message);
		return error.message;
	}
	assert.fail(`must refuse ${url}`);
}

describe("a postgres URL", () => {
	it("may omit every optional part", () => {
		const address = parsePostgresUrl("postgres://db.example.com");
		assert.deepEqual(address, {
			hosts: [{ host: "db.example.com", port: 5432 }],
			user: "postgres",
			password: undefined,
			database: "postgres",
			tls: undefined,
			channelBinding: "disable",
			connectMs: undefined,
			applicationName: "latchkey",
			poolSize: 20,
			shown: "db.example.com:5432/postgres",
		});
	});

	it("may have several hosts, including IPv6 and a socket directory, and percent-encoded parts", () => {
		const address = parsePostgresUrl(
			"postgresql://me%40x:hunter2%2F:1@h1:5433,[::1]:5434,%2Frun%2Fpostgresql/my%20db?target_session_attrs=read-write&pool_size=7&application_name=a",
		);
		assert.deepEqual(address.hosts, [
			{ host: "h1", port: 5433 },
			{ host: "::1", port: 5434 },
			{ host: "/run/postgresql", port: 5432 },
		]);
		assert.deepEqual([address.user, address.password, address.database], ["me@x", "hunter2/:1", "my db"]);
		assert.deepEqual([address.poolSize, address.applicationName], [7, "a"]);
		assert.ok(!address.shown.includes("hunter2"));
	});

	it("requests TLS like libpq", () => {
		const tls = (mode: string) => parsePostgresUrl(`postgres://h/db?sslmode=${mode}`).tls;
		assert.equal(tls("disable"), undefined);
		assert.equal(tls("require")?.rejectUnauthorized, false);
		assert.equal(tls("verify-ca")?.rejectUnauthorized, true);
		assert.equal(tls("verify-ca")?.checkServerIdentity?.("h", {} as never), undefined);
		assert.equal(tls("verify-full")?.rejectUnauthorized, true);
		assert.equal(tls("verify-full")?.checkServerIdentity, undefined);
		const named = parsePostgresUrl(`postgres://h/db?sslmode=require&sslrootcert=${import.meta.filename}`);
		assert.equal(named.tls?.rejectUnauthorized, true);
		assert.match(String(named.tls?.ca), /asks for TLS as libpq does/);
	});

	it("may be the one that a provider prints", () => {
		const neon = parsePostgresUrl(
			"postgresql://u:p@ep-x.eu.aws.neon.tech/db?sslmode=require&channel_binding=require",
		);
		assert.deepEqual([neon.channelBinding, neon.tls?.rejectUnauthorized], ["require", false]);
		const supabase = parsePostgresUrl(
			"postgresql://u:p@pooler.supabase.com:6543/postgres?connect_timeout=10",
		);
		assert.deepEqual([supabase.connectMs, supabase.channelBinding], [10_000, "disable"]);
		assert.equal(parsePostgresUrl("postgres://h/db?connect_timeout=0").connectMs, undefined);
	});

	it("is refused in one line that shows no password", () => {
		const refused: readonly (readonly [string, RegExp])[] = [
			["postgres://u:hunter2@", /must be postgres:/],
			["postgres://u:hunter2@h:0/db", /has no port 0/],
			["postgres://u:hunter2@h:70000/db", /has no port 70000/],
			["postgres://u:hunter2@h,/db", /names no host in ""/],
			["postgres://u:hunter2%zz@h/db", /percent-encoded/],
			["postgres://u:hunter2@h/db?sslmode=maybe", /sslmode that is not disable, require/],
			["postgres://u:hunter2@h/db?sslmode=prefer", /sslmode=prefer: write sslmode=require/],
			["postgres://u:hunter2@h/db?sslmode=allow", /sslmode=allow: write sslmode=require/],
			["postgres://u:hunter2@h/db?sslmode=no-verify", /sslmode=no-verify: write sslmode=require/],
			[
				"postgres://u:hunter2@h/db?channel_binding=yes",
				/channel_binding that is not disable, prefer, require/,
			],
			["postgres://u:hunter2@h/db?channel_binding=require", /channel_binding=require without sslmode/],
			["postgres://u:hunter2@h/db?connect_timeout=-1", /connect_timeout that is not a whole number/],
			["postgres://u:hunter2@h/db?sslrootcert=/x", /without sslmode/],
			["postgres://u:hunter2@h/db?sslmode=verify-full&sslrootcert=/nowhere", /cannot be read \(ENOENT\)/],
			["postgres://u:hunter2@h/db?sslmode=require&sslcert=/dev/null", /without the other/],
			["postgres://u:hunter2@h/db?target_session_attrs=standby", /not read-write/],
			["postgres://u:hunter2@h/db?pool_size=1", /from 2 to 1000/],
			["postgres://u:hunter2@h/db?pool_size=4&pool_size=5", /gives pool_size twice/],
			["postgres://u:hunter2@h/db?options=x", /has the parameter "options"; known are sslmode/],
		];
		for (const [url, line] of refused) {
			assert.match(complaint(url), line);
			assert.match(complaint(url), /^LATCHKEY_DATABASE_URL /);
		}
	});
});
