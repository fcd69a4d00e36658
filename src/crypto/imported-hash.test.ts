import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { parseImportedHash, readPasswordHash } from "./imported-hash.ts";
import { HashFormatError } from "./imported-hash-limits.ts";

const SALT = "c2l4dGVlbi1ieXRlLXNsdA";
const HASH = "B+2oTiwwzM+b9kD38u2PU0Wjk9BZTidA5dNvc4vWdkE";
const LONG_HASH = `${"A".repeat(85)}E`;

describe("readPasswordHash", () => {
	const forms: readonly (readonly [string, string, string])[] = [
		["bcrypt", `$2y$10$${"a".repeat(53)}`, `$2y$10$${"a".repeat(53)}`],
		[
			"argon2id",
			`$argon2id$v=19$m=7168,t=5,p=1$${SALT}$${HASH}`,
			`$argon2id$v=19$m=7168,t=5,p=1$${SALT}$${HASH}`,
		],
		["padded base64", `$scrypt$ln=14,r=8,p=1$${SALT}==$${HASH}=`, `$scrypt$ln=14,r=8,p=1$${SALT}$${HASH}`],
		[
			"parameters in another order",
			`$scrypt$p=1,r=8,ln=14$${SALT}$${HASH}`,
			`$scrypt$ln=14,r=8,p=1$${SALT}$${HASH}`,
		],
		[
			"PBKDF2 with the length of the hash",
			`$pbkdf2-sha512$i=1000,l=32$${SALT}$${HASH}`,
			`$pbkdf2-sha512$i=1000$${SALT}$${HASH}`,
		],
		[
			"PBKDF2 of passlib",
			`$pbkdf2-sha256$29000$//79$${HASH.replaceAll("+", ".")}`,
			`$pbkdf2-sha256$i=29000$//79$${HASH}`,
		],
		[
			"PBKDF2 of Django, whose salt is text",
			`pbkdf2_sha256$1000$sixteen-byte-slt$${HASH}=`,
			`$pbkdf2-sha256$i=1000$${SALT}$${HASH}`,
		],
		[
			"two blocks of PBKDF2, of which one is stored",
			`$pbkdf2-sha256$i=1000$${SALT}$${LONG_HASH}`,
			`$pbkdf2-sha256$i=1000$${SALT}$${"A".repeat(43)}`,
		],
	];
	for (const [name, text, stored] of forms)
		test(`${name}: stored as a PHC string, which is parsed to the same string`, () => {
			assert.equal(readPasswordHash(text), stored);
			assert.equal(readPasswordHash(stored), stored);
		});

	const refusals: readonly (readonly [string, string, RegExp])[] = [
		["a faulty bcrypt version", `$2x$10$${"a".repeat(53)}`, /bcrypt hash of the version 2a, 2b or 2y/],
		["bcrypt that takes hours", `$2b$31$${"a".repeat(53)}`, /cost from 4 to 15/],
		["text that is not a hash", "correct horse", /one of the documented forms/],
		["MD5", `$1$${SALT}$${HASH}`, /one of the documented forms/],
		["PBKDF2 with SHA-1", `$pbkdf2$i=1000$${SALT}$${HASH}`, /one of the documented forms/],
		["SHA-1 of Django", `pbkdf2_sha1$1000$salt$${HASH}`, /one of the documented forms/],
		["argon2i", `$argon2i$v=19$m=64,t=2,p=1$${SALT}$${HASH}`, /one of the documented forms/],
		["one part too many", `$scrypt$ln=4,r=8,p=1$${SALT}$${HASH}$${HASH}`, /one of the documented forms/],
		["argon2 1.0", `$argon2id$v=16$m=64,t=2,p=1$${SALT}$${HASH}`, /version 19/],
		["argon2 without a version", `$argon2id$m=64,t=2,p=1$${SALT}$${HASH}`, /version 19/],
		["4 GiB", `$argon2id$v=19$m=4194304,t=1,p=1$${SALT}$${HASH}`, /m from 8 to 131072 KiB$/],
		["many passes", `$argon2id$v=19$m=131072,t=5,p=1$${SALT}$${HASH}`, /m times t from 1 to 524288 KiB$/],
		["less memory than lanes need", `$argon2id$v=19$m=8,t=1,p=2$${SALT}$${HASH}`, /m from 16 to 131072 KiB/],
		["many lanes", `$argon2id$v=19$m=8192,t=1,p=17$${SALT}$${HASH}`, /p from 1 to 16$/],
		["a short salt", `$argon2id$v=19$m=64,t=2,p=1$c2FsdA$${HASH}`, /a salt from 8 to 64 bytes$/],
		["a long salt", `$scrypt$ln=4,r=8,p=1$${"A".repeat(88)}$${HASH}`, /a salt from 1 to 64 bytes$/],
		["no salt", `$scrypt$ln=4,r=8,p=1$$${HASH}`, /its salt in base64$/],
		["a truncated hash", `$scrypt$ln=4,r=8,p=1$${SALT}$B+2oTg`, /a hash from 16 to 64 bytes$/],
		["no hash at the end", `$scrypt$ln=4,r=8,p=1$${SALT}`, /its hash in base64$/],
		["text that is not base64", `$scrypt$ln=4,r=8,p=1$${SALT}$${HASH.slice(1)}*`, /its hash in base64$/],
		["half a byte of base64", `$scrypt$ln=4,r=8,p=1$${SALT}$${HASH}AA`, /its hash in base64$/],
		[
			"scrypt in 256 MiB",
			`$scrypt$ln=18,r=8,p=1$${SALT}$${HASH}`,
			/128 \* 2\^ln \* r from 1 to 134217728 bytes$/,
		],
		[
			"scrypt three times in 128 MiB",
			`$scrypt$ln=17,r=8,p=3$${SALT}$${HASH}`,
			/\* p from 1 to 268435456 bytes$/,
		],
		["scrypt with N beyond its blocks", `$scrypt$ln=16,r=1,p=1$${SALT}$${HASH}`, /ln from 1 to 15$/],
		["PBKDF2 for minutes", `$pbkdf2-sha256$2000001$${SALT}$${HASH}`, /iterations from 1 to 2000000$/],
		["no iterations", `$pbkdf2-sha256$i=0$${SALT}$${HASH}`, /the parameter i, a whole number from 1$/],
		["iterations as 1e9", `$pbkdf2-sha256$1e9$${SALT}$${HASH}`, /the parameter i, a whole number/],
		[
			"an unknown parameter",
			`$argon2id$v=19$m=64,t=2,p=1,keyid=x$${SALT}$${HASH}`,
			/only the parameters m, t, p$/,
		],
		["a missing parameter", `$argon2id$v=19$m=64,t=2$${SALT}$${HASH}`, /the parameter p, a whole number/],
	];
	for (const [name, text, message] of refusals)
		test(`refuses ${name}, and never repeats a hash`, () => {
			const refused = (error: unknown): boolean => {
				assert.ok(error instanceof HashFormatError);
				assert.match(error.message, message);
				assert.doesNotMatch(error.message, /c2l4|B\+2o/);
				return true;
			};
			assert.throws(() => readPasswordHash(text), refused);
		});

	test("a stored hash with parameters beyond the limits is refused", () => {
		assert.throws(() => parseImportedHash(`$scrypt$ln=30,r=8,p=1$${SALT}$${HASH}`), HashFormatError);
	});
});
