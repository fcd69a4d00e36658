import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { sha256Hex } from "./digest.ts";
import {
	EMPTY_BODY_SHA256,
	NONCE,
	SIGNATURE,
	type SignedParts,
	secretKey,
	signRequest,
	stringToSign,
	TIMESTAMP,
	verifySignature,
} from "./request-signature.ts";

interface VectorFile {
	client: { tenant_id: string; app_id: string; api_key: string; secret: string };
	server_time: number;
	vectors: {
		id: string;
		comment: string;
		method: string;
		target: string;
		timestamp: string;
		nonce: string;
		body_base64: string;
		body_sha256: string;
		string_to_sign: string;
		signature: string;
	}[];
}

const vectorFile = new URL("../../docs/signing-vectors.json", import.meta.url);
const { client, server_time, vectors } = JSON.parse(readFileSync(vectorFile, "utf8")) as VectorFile;
const key = secretKey(client.secret);

function partsOf(vector: VectorFile["vectors"][number]): SignedParts {
	return {
		method: vector.method,
		target: vector.target,
		tenantId: client.tenant_id,
		appId: client.app_id,
		apiKey: client.api_key,
		timestamp: vector.timestamp,
		nonce: vector.nonce,
		bodySha256: sha256Hex(Buffer.from(vector.body_base64, "base64")),
	};
}

// RFC 4231, test cases 1, 2 and 6: the primitive itself.
test("HMAC-SHA256 matches RFC 4231", () => {
	const cases: [Buffer, string, string][] = [
		[Buffer.alloc(20, 0x0b), "Hi There", "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"],
		[
			Buffer.from("Jefe"),
			"what do ya want for nothing?",
			"5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
		],
		[
			Buffer.alloc(131, 0xaa),
			"Test Using Larger Than Block-Size Key - Hash Key First",
			"60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54",
		],
	];
	for (const [bytes, text, hex] of cases) {
		assert.equal(createHmac("sha256", bytes).update(text).digest("hex"), hex);
	}
	assert.equal(
		createHmac("sha256", secretKey("Jefe")).update("what do ya want for nothing?").digest("hex"),
		"5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
	);
});

// The vectors published with the scheme; every signature there was computed by two implementations.
describe("published vectors", () => {
	assert.ok(vectors.length > 0);
	for (const vector of vectors) {
		test(`${vector.id}: ${vector.comment}`, () => {
			const parts = partsOf(vector);
			assert.equal(parts.bodySha256, vector.body_sha256);
			assert.equal(stringToSign(parts), vector.string_to_sign);
			assert.equal(signRequest(key, parts), vector.signature);
			assert.equal(verifySignature(key, parts, vector.signature), true);
			assert.equal(verifySignature(key, parts, vector.signature.toUpperCase()), true);
			assert.match(vector.nonce, NONCE);
			assert.match(vector.timestamp, TIMESTAMP);
			assert.ok(Math.abs(Number(vector.timestamp) - server_time) <= 300);
		});
	}
});

describe("a wrong signature is refused", () => {
	const [vector] = vectors;
	assert.ok(vector);
	const parts = partsOf(vector);
	const { signature } = vector;

	test("any one bit flipped", () => {
		for (let bit = 0; bit < 256; bit++) {
			const bytes = Buffer.from(signature, "hex");
			bytes[bit >> 3] = (bytes[bit >> 3] ?? 0) ^ (1 << (bit & 7));
			assert.equal(verifySignature(key, parts, bytes.toString("hex")), false);
		}
	});

	const malformed: [string, string][] = [
		["nothing", ""],
		["62 digits", signature.slice(0, 62)],
		["63 digits", signature.slice(0, 63)],
		["65 digits", `${signature}0`],
		["66 digits", `${signature}00`],
		["the signature twice", signature + signature],
		["a letter that is not a hex digit", `${signature.slice(0, 63)}g`],
		["an invalid digit in the middle", `${signature.slice(0, 32)}zz${signature.slice(34)}`],
		["a line break after it", `${signature}\n`],
		["a space before it", ` ${signature}`],
		["0x before it", `0x${signature.slice(2)}`],
		["full-width digits", "０".repeat(64)],
		["base64", Buffer.from(signature, "hex").toString("base64")],
	];
	for (const [name, text] of malformed) {
		test(name, () => assert.equal(verifySignature(key, parts, text), false));
	}

	test("the signature with one non-hex character of the same low byte, right after the signature itself", () => {
		for (const [index, digit] of [...signature].entries()) {
			for (const character of [String.fromCharCode(0x100 + digit.charCodeAt(0)), "é", "\u212a", "€"]) {
				const other = signature.slice(0, index) + character + signature.slice(index + 1);
				assert.equal(verifySignature(key, parts, signature), true);
				assert.equal(verifySignature(key, parts, other), false, other);
			}
		}
	});

	test("another Secret", () => {
		assert.equal(verifySignature(secretKey(`${client.secret}x`), parts, signature), false);
	});

	test("any part changed", () => {
		const changes: Partial<SignedParts>[] = [
			{ method: "POST" },
			{ method: "get" },
			{ target: `${parts.target}?` },
			{ target: parts.target.replace("/api", "//api") },
			{ tenantId: parts.tenantId.replace("1", "2") },
			{ appId: parts.appId.replace("2", "1") },
			{ apiKey: parts.apiKey.toUpperCase() },
			{ timestamp: "1760000001" },
			{ nonce: `${parts.nonce}0` },
			{ bodySha256: sha256Hex(" ") },
		];
		for (const change of changes)
			assert.equal(verifySignature(key, { ...parts, ...change }, signature), false);
	});
});

describe("formats", () => {
	test("nonces", () => {
		assert.match("Aa0_-.~Aa0_-.~16", NONCE);
		assert.match("z".repeat(128), NONCE);
		for (const bad of [
			"z".repeat(15),
			"z".repeat(129),
			"has space in it!!",
			"a+b/c=a+b/c=a+b/c=",
			`${"z".repeat(16)}\n`,
		]) {
			assert.doesNotMatch(bad, NONCE);
		}
	});

	test("timestamps", () => {
		assert.match("1760000000", TIMESTAMP);
		for (const bad of [
			"",
			"176000000",
			"17600000000",
			"1.76000000",
			"+176000000",
			" 176000000",
			"1e90000000",
			"0x68e77d00",
			"1760000000\n",
			"１７６０００００００",
		]) {
			assert.doesNotMatch(bad, TIMESTAMP);
		}
	});

	test("signatures", () => {
		assert.match("aF".repeat(32), SIGNATURE);
		assert.doesNotMatch("ag".repeat(32), SIGNATURE);
	});

	test("the digest of no body", () => assert.equal(EMPTY_BODY_SHA256, sha256Hex("")));
});

test("bytes above ASCII are verified as received", () => {
	const [vector] = vectors;
	assert.ok(vector);
	const wire = Buffer.from("/api/v1/external/users/ü", "utf8");
	const parts = { ...partsOf(vector), target: wire.toString("latin1") };
	const [before = "", after = ""] = stringToSign(parts).split(parts.target);
	const signature = createHmac("sha256", client.secret)
		.update(before)
		.update(wire)
		.update(after)
		.digest("hex");
	assert.equal(verifySignature(key, parts, signature), true);
});

test("characters that no request can contain are not signed, and an empty Secret is refused", () => {
	const [vector] = vectors;
	assert.ok(vector);
	const parts = partsOf(vector);
	for (const target of ["/a\n/b", "/ü", "/a b", ""]) {
		assert.throws(() => signRequest(key, { ...parts, target }), {
			name: "RangeError",
			message: /^target must/,
		});
	}
	assert.throws(() => secretKey(""), RangeError);
});
