// Encrypts values that must be stored and read back: client Secrets, provider secrets, signing keys.

import { createSecretKey, type KeyObject, randomBytes } from "node:crypto";
import { decryptGcm, encryptGcm, NONCE_BYTES, TAG_BYTES } from "./aes-gcm.ts";
import { hkdfSha256 } from "./derived-keys.ts";
import { sha256Hex } from "./digest.ts";

const MASTER_KEY_BYTES = 32;
const NO_SALT = Buffer.alloc(0);
const SEALED = /^v1\.([0-9a-f]{8})\.([A-Za-z0-9_-]+)$/;

/** Text that cannot be decrypted, or an invalid master key; the message contains neither. */
export class SecretBoxError extends Error {
	constructor(message: string) {
		super(message);
		this.name = "SecretBoxError";
	}
}

interface MasterKey {
	readonly id: string;
	readonly master: KeyObject;
	readonly sealing: KeyObject;
}

/**
 * Encrypts with the first master key, decrypts with any. Format: `v1.<key id>.<base64url of nonce, ciphertext and
 * tag>`; the key id is 8 hex digits of a digest of the master key and reveals nothing about it. Each master key
 * encrypts with its own AES-256-GCM key, derived by HKDF.
 */
export class SecretBox {
	#first: MasterKey;
	#ids: readonly string[];
	/** A known key decrypts for the lifetime of the process, even after it was removed from the list. */
	readonly #byId = new Map<string, MasterKey>();
	readonly #derivedFrom: MasterKey;
	readonly #reread: () => readonly Buffer[] | undefined;

	/**
	 * @param masterKeys 32 bytes each, at least one.
	 * @param reread called before each sealing, and for a text with an unknown key: returns the current keys when they
	 * have changed, otherwise undefined. A change of the list takes effect at once, and nothing is sealed with an old
	 * key.
	 * @throws SecretBoxError for a wrong length, an empty list, or a repeated key.
	 */
	constructor(masterKeys: readonly Buffer[], reread: () => readonly Buffer[] | undefined = () => undefined) {
		this.#reread = reread;
		[this.#first, this.#ids] = this.#take(masterKeys);
		this.#derivedFrom = this.#first;
	}

	/** Id of the encrypting key. After a rotation, texts with another id should be re-encrypted. */
	get keyId(): string {
		return this.#first.id;
	}

	/** Ids of the current list, the encrypting key first. */
	get keyIds(): readonly string[] {
		return this.#ids;
	}

	/**
	 * @param context the owner of the text, e.g. `api_client:<id>`. Only the same context decrypts it, so a sealed text is
	 * useless in another row.
	 */
	seal(plain: string, context: string): string {
		this.#refresh();
		const nonce = randomBytes(NONCE_BYTES);
		const sealed = encryptGcm(this.#first.sealing, nonce, Buffer.from(plain), Buffer.from(context));
		return `v1.${this.#first.id}.${Buffer.concat([nonce, sealed]).toString("base64url")}`;
	}

	/** @throws SecretBoxError for an unknown key id (named in the message), another context, or modified text. */
	open(sealed: string, context: string): string {
		const [, id = "", text = ""] = SEALED.exec(sealed) ?? [];
		const bytes = Buffer.from(text, "base64url");
		// Unused bits of the last character could be changed unnoticed: accept only one spelling.
		if (bytes.length < NONCE_BYTES + TAG_BYTES || bytes.toString("base64url") !== text) {
			throw new SecretBoxError("this is not a sealed text of the form v1.<key id>.<base64url>");
		}
		const key = this.#find(id);
		const nonce = bytes.subarray(0, NONCE_BYTES);
		const plain = decryptGcm(key.sealing, nonce, bytes.subarray(NONCE_BYTES), Buffer.from(context));
		if (plain === undefined) {
			throw new SecretBoxError(
				`a text sealed with master key ${id} was changed or belongs to another record`,
			);
		}
		return plain.toString("utf8");
	}

	/**
	 * A 256-bit key for one purpose, deterministic for the FIRST master key at the start of this process. Use it to
	 * authenticate data by the master key itself, such as a backup; never for what the database stores
	 * (`derived-keys.ts`).
	 */
	deriveKey(purpose: string): KeyObject {
		return hkdfSha256(this.#derivedFrom.master, NO_SALT, `latchkey derive v1 ${purpose}`);
	}

	#find(id: string): MasterKey {
		if (!this.#byId.has(id)) this.#refresh();
		const key = this.#byId.get(id);
		if (key !== undefined) return key;
		throw new SecretBoxError(
			`sealed with master key ${id}, which is not among the keys given (${this.#ids.join(", ")})`,
		);
	}

	#refresh(): void {
		const changed = this.#reread();
		if (changed !== undefined) [this.#first, this.#ids] = this.#take(changed);
	}

	#take(masterKeys: readonly Buffer[]): [MasterKey, readonly string[]] {
		const keys = masterKeys.map(readMasterKey);
		const [first] = keys;
		if (first === undefined) throw new SecretBoxError("no master key is given");
		const ids = keys.map(({ id }) => id);
		const twice = ids.findIndex((id, index) => ids.indexOf(id) < index);
		if (twice !== -1) throw new SecretBoxError(`master key ${twice + 1} (${ids[twice]}) is given twice`);
		for (const key of keys) this.#byId.set(key.id, key);
		return [first, ids];
	}
}

/** The id of the master key that encrypted a text; undefined for text that is not sealed. */
export function sealedWith(sealed: string): string | undefined {
	return SEALED.exec(sealed)?.[1];
}

/**
 * Parses `LATCHKEY_MASTER_KEY`: comma-separated keys of 32 bytes in base64 (44 characters, `openssl rand -base64 32`).
 * Ignores spaces around a key.
 *
 * @throws SecretBoxError with the position and length of the invalid key, not the key.
 */
export function parseMasterKeys(text: string): Buffer[] {
	return text.split(",").map((part, index) => {
		const keyText = part.trim();
		const bytes = Buffer.from(keyText, "base64");
		// Node skips invalid base64; only canonical text is equal after re-encoding.
		if (bytes.toString("base64") !== keyText)
			throw new SecretBoxError(`master key ${index + 1} is not base64`);
		checkLength(bytes, index);
		return bytes;
	});
}

function readMasterKey(bytes: Buffer, index: number): MasterKey {
	checkLength(bytes, index);
	const master = createSecretKey(bytes);
	return {
		id: sha256Hex(Buffer.concat([Buffer.from("latchkey master key id v1 "), bytes])).slice(0, 8),
		master,
		sealing: hkdfSha256(master, NO_SALT, "latchkey seal v1"),
	};
}

function checkLength(bytes: Buffer, index: number): void {
	if (bytes.length === MASTER_KEY_BYTES) return;
	throw new SecretBoxError(
		`master key ${index + 1} has ${bytes.length} bytes instead of ${MASTER_KEY_BYTES}`,
	);
}
