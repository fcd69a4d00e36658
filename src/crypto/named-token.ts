// Tokens that name their record, so that a used one is recognized without being stored.

import { createHmac, type KeyObject } from "node:crypto";
import { RecentMap } from "../kernel/recent-map.ts";
import { equalTexts, tokenDigest } from "./digest.ts";

/** What a token says about its record. */
export interface Named {
	/** A UUID. */
	readonly id: string;
	/** An integer of 32 bits. */
	readonly generation: number;
	/** 256 random bits as 43 base64url characters: the same in all tokens of a record, which stores their digest. */
	readonly secret: string;
}

const ID_BYTES = 16;
const GENERATION_BYTES = 4;
const NAMED_BYTES = ID_BYTES + GENERATION_BYTES + 32;
const MAC_BYTES = 16;
const FORM = /^[A-Za-z0-9_-]{91}$/;
/** At 100 bytes each. */
const REMEMBERED = 16_384;

/**
 * Tokens of one key: id, generation, and secret, then the HMAC-SHA256 (RFC 2104) of all three and a context, cut to 128 bits, so
 * that the bearer cannot change the generation. 91 base64url characters. Without the secret, the key makes none.
 */
export class NamedTokens {
	readonly #key: KeyObject;
	/** Digests of tokens that were verified: a browser sends its cookie with every request, and a MAC takes 5 µs. */
	readonly #verified = new RecentMap<true>(REMEMBERED);

	constructor(key: KeyObject) {
		this.#key = key;
	}

	write({ id, generation, secret }: Named, context = ""): string {
		const token = Buffer.alloc(NAMED_BYTES + MAC_BYTES);
		token.write(id.replaceAll("-", ""), "hex");
		token.writeUInt32BE(generation, ID_BYTES);
		token.write(secret, ID_BYTES + GENERATION_BYTES, "base64url");
		const mac = createHmac("sha256", this.#key)
			.update(token.subarray(0, NAMED_BYTES))
			.update(context)
			.digest();
		mac.copy(token, NAMED_BYTES);
		return token.toString("base64url");
	}

	/** Undefined for a token that this key did not make for the context. */
	read(token: string, context = ""): Named | undefined {
		if (!FORM.test(token)) return undefined;
		const bytes = Buffer.from(token, "base64url");
		const hex = bytes.toString("hex", 0, ID_BYTES);
		const named: Named = {
			id: [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-"),
			generation: bytes.readUInt32BE(ID_BYTES),
			secret: bytes.toString("base64url", ID_BYTES + GENERATION_BYTES, NAMED_BYTES),
		};
		const digest = tokenDigest(token + context);
		if (this.#verified.find(digest) === undefined) {
			if (!equalTexts(token, this.write(named, context))) return undefined;
			this.#verified.set(digest, true);
		}
		return named;
	}
}
