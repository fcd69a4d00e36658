import assert from "node:assert/strict";
import { createSecretKey } from "node:crypto";
import { describe, test } from "node:test";
import { decryptGcm, encryptGcm } from "./aes-gcm.ts";

function hex(text: string): Buffer {
	return Buffer.from(text, "hex");
}

interface Vector {
	name: string;
	key: string;
	nonce: string;
	plain: string;
	associated: string;
	sealed: string;
}

const GCM_TEXT =
	"d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39";

const vectors: Vector[] = [
	{
		name: "NIST CAVP gcmEncryptExtIV256, no text, count 0",
		key: "b52c505a37d78eda5dd34f20c22540ea1b58963cf8e5bf8ffa85f9f2492505b4",
		nonce: "516c33929df5a3284ff463d7",
		plain: "",
		associated: "",
		sealed: "bdc1ac884d332457a1d2664f168c76f0",
	},
	{
		name: "NIST CAVP gcmEncryptExtIV256, 128 bits of associated data only, count 0",
		key: "78dc4e0aaf52d935c3c01eea57428f00ca1fd475f5da86a49c8dd73d68c8e223",
		nonce: "d79cf22d504cc793c3fb6c8a",
		plain: "",
		associated: "b96baa8c1c75a671bfb2d08d06be5f36",
		sealed: "3e5d486aa2e30b22e040b85723a06e76",
	},
	{
		name: "NIST CAVP gcmEncryptExtIV256, 128 bits of text, count 0",
		key: "31bdadd96698c204aa9ce1448ea94ae1fb4a9a0b3c9d773b51bb1822666b8f22",
		nonce: "0d18e06c7c725ac9e362e1ce",
		plain: "2db5168e932556f8089a0622981d017d",
		associated: "",
		sealed: "fa4362189661d163fcd6a56d8bf0405ad636ac1bbedd5cc3ee727dc2ab4a9489",
	},
	{
		name: "GCM specification (McGrew, Viega), test case 16: text and associated data",
		key: "feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308",
		nonce: "cafebabefacedbaddecaf888",
		plain: GCM_TEXT,
		associated: "feedfacedeadbeeffeedfacedeadbeefabaddad2",
		sealed:
			"522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f66276fc6ece0f4e1768cddf8853bb2d551b",
	},
];

for (const vector of vectors) {
	const key = createSecretKey(hex(vector.key));
	const nonce = hex(vector.nonce);
	const associated = hex(vector.associated);
	const sealed = hex(vector.sealed);
	describe(vector.name, () => {
		test("is sealed so", () => {
			assert.equal(encryptGcm(key, nonce, hex(vector.plain), associated).toString("hex"), vector.sealed);
		});

		test("is opened", () => {
			assert.equal(decryptGcm(key, nonce, sealed, associated)?.toString("hex"), vector.plain);
		});

		test("is not opened with a changed byte, other associated data, or a truncated tag", () => {
			for (let at = 0; at < sealed.length; at++) {
				const changed = Buffer.from(sealed);
				changed[at] = (changed[at] ?? 0) ^ 0x80;
				assert.equal(decryptGcm(key, nonce, changed, associated), undefined);
			}
			assert.equal(decryptGcm(key, nonce, sealed, Buffer.concat([associated, hex("00")])), undefined);
			assert.equal(decryptGcm(key, nonce, sealed.subarray(0, -1), associated), undefined);
			assert.equal(decryptGcm(key, nonce, Buffer.alloc(0), associated), undefined);
		});
	});
}
