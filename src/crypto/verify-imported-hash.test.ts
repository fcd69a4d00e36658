import assert from "node:assert/strict";
import { argon2Sync } from "node:crypto";
import { describe, test } from "node:test";
import { convertFirebaseHash } from "./firebase-hash.ts";
import { parseImportedHash, readPasswordHash } from "./imported-hash.ts";
import { HashFormatError } from "./imported-hash-limits.ts";
import { verifyImportedHash } from "./verify-imported-hash.ts";

/** "correct horse" was hashed by Python's hashlib and by its package `cryptography`. */
const HORSE = "correct horse";

const known: readonly (readonly [string, string, string])[] = [
	[
		"argon2id of the reference implementation (test.c)",
		"password",
		"$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4",
	],
	[
		"argon2id in 64 MiB of the reference implementation",
		"password",
		"$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc",
	],
	[
		"argon2id with two lanes",
		HORSE,
		"$argon2id$v=19$m=64,t=2,p=2$c2l4dGVlbi1ieXRlLXNsdA$+E3X8gb7c1IvXCN9vxubPMGjJ6YeB8dZ7Asi38Kn734",
	],
	[
		"scrypt of RFC 7914, section 12",
		"pleaseletmein",
		"$scrypt$ln=14,r=8,p=1$U29kaXVtQ2hsb3JpZGU$cCO9yzr9c0hGHAbNgf046/2o+7qQT44+qbVD9lRdofLVQylVYT8Pz2LUlwUkKpr55h6F3A1lHkDfzwF7RVdYhw",
	],
	[
		"scrypt with p = 3",
		HORSE,
		"$scrypt$ln=4,r=8,p=3$c2l4dGVlbi1ieXRlLXNsdA$TSEZpS64ZQp12CVA9xVZ/pMymSohS6XpuyWbx6/K9yq0pzDlXfSimfNCZ064iQ/FVyQzGhTY+7YrC3oAVXILEg",
	],
	[
		"PBKDF2-SHA256 of RFC 7914, section 11, two blocks",
		"Password",
		"$pbkdf2-sha256$i=80000$TmFDbA$TdzY9guYviGDDO5e8icB+WQaRBjQTAQUrv8Ih2s0q1ah1CWhIlgzVJrbhBtRybMXaicr3ruh0HhHj2Kzl/M8jQ",
	],
	[
		"PBKDF2-SHA512",
		HORSE,
		"$pbkdf2-sha512$i=1000,l=64$c2l4dGVlbi1ieXRlLXNsdA$QPeGohxjbXWpuRPH1BFD8UCL1KLRZ6w6C0hv/xlgok2uYNraPa+Yepjy0TffuJ1INsmCwbuBVYs6svmm3RWhaA",
	],
	[
		"PBKDF2-SHA256 as passlib writes it",
		HORSE,
		"$pbkdf2-sha256$29000$//79c2l4dGVlbi1ieXRl$midQDqi0GbPIvxLtqBhO9isQTOglPIpNuGT3ymT84zU",
	],
	[
		"PBKDF2-SHA256 as Django writes it",
		HORSE,
		"pbkdf2_sha256$260000$Zx9k3LmPq2RtYv5w$s+VZcrz0dguGAat6/z9h4uVdWFEnZedjK3Y1TBt9r5s=",
	],
];

async function verifies(passwordPlain: string, stored: string): Promise<boolean> {
	return await verifyImportedHash(passwordPlain, parseImportedHash(stored));
}

describe("known answers", () => {
	for (const [name, password, text] of known)
		test(name, async () => {
			const stored = readPasswordHash(text);
			assert.equal(await verifies(password, stored), true);
			assert.equal(await verifies(`${password}.`, stored), false);
			assert.equal(await verifies("", stored), false);
		});

	test("argon2id of the library: RFC 9106, section 5.3", () => {
		const tag = argon2Sync("argon2id", {
			message: Buffer.alloc(32, 1),
			nonce: Buffer.alloc(16, 2),
			secret: Buffer.alloc(8, 3),
			associatedData: Buffer.alloc(12, 4),
			parallelism: 4,
			memory: 32,
			passes: 3,
			tagLength: 32,
		});
		assert.equal(tag.toString("hex"), "0d640df58d78766c08c037a34a8b53c9d01ef0452d75b65eb52520e96b01e659");
	});

	test("the most expensive parameters that an import accepts", async () => {
		const tail = `c2l4dGVlbi1ieXRlLXNsdA$${"A".repeat(43)}`;
		const dearest = [
			"$argon2id$v=19$m=131072,t=4,p=16$",
			"$scrypt$ln=17,r=8,p=2$",
			"$scrypt$ln=1,r=16,p=16$",
		];
		for (const parameters of dearest) assert.equal(await verifies(HORSE, `${parameters}${tail}`), false);
	});
});

describe("hashes of Firebase", () => {
	// The example of Firebase's own scrypt utility.
	const project = {
		signerKey: Buffer.from(
			"jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA==",
			"base64",
		),
		saltSeparator: Buffer.from("Bw==", "base64"),
		rounds: 8,
		memCost: 14,
	};
	const salt = Buffer.from("42xEC+ixf3L2lw==", "base64");
	const hash = Buffer.from(
		"lSrfV15cpx95/sZS2W9c9Kp6i/LVgQNDNC/qzrCnh1SAyZvqmZqAjTdn3aoItz+VHjoZilo78198JAdRuid5lQ==",
		"base64",
	);

	test("the published example verifies without the signer key", async () => {
		const stored = convertFirebaseHash({ hash, salt }, project);
		assert.match(stored, /^\$firebase-scrypt\$ln=14,r=8,p=1\$42xEC\+ixf3L2lwc\$/);
		assert.equal(await verifies("user1password", stored), true);
		assert.equal(await verifies("user2password", stored), false);
	});

	test("with another signer key no password verifies", async () => {
		const signerKey = Buffer.from(project.signerKey).fill(7, 0, 1);
		const stored = convertFirebaseHash({ hash, salt }, { ...project, signerKey });
		assert.equal(await verifies("user1password", stored), false);
	});

	test("a hash of another length, and a project beyond the limits, are refused", () => {
		const cut = { hash: hash.subarray(0, 32), salt };
		assert.throws(() => convertFirebaseHash(cut, project), /as many bytes as the signer key \(64\)/);
		const dear = { ...project, memCost: 20 };
		assert.throws(() => convertFirebaseHash({ hash, salt }, dear), HashFormatError);
	});
});
