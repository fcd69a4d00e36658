// Sealing of what must be stored but read back: client Secrets, provider secrets, signing keys.

import { createSecretKey, type KeyObject, randomBytes } from "node:crypto";
import { decryptGcm, encryptGcm, NONCE_BYTES, TAG_BYTES } from "./aes-gcm.ts";
import { sha256Hex } from "./digest.ts";
import { hkdfSha256 } from "./hkdf.ts";

const MASTER_KEY_BYTES = 32;
const NO_SALT = Buffer.alloc(0);
const SEALED = /^v1\.([0-9a-f]{8})\.([A-Za-z0-9_-]+)$/;

/** A text that cannot be opened or a master key that is none; the message never holds either. */
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
 * Seals with the first master key, opens with any. Text form: `v1.<key id>.<base64url of nonce, ciphertext and
 * tag>`; the key id is 8 hex digits of a digest of the master key and tells nothing about it. Each master key
 * seals with its own AES-256-GCM key, derived by HKDF.
 */
export class SecretBox {
	#first: MasterKey;
	#ids: readonly string[];
	/** A key once known opens for as long as this process lives, also when it has left the list. */
	readonly #byId = new Map<string, MasterKey>();
	readonly #derivedFrom: MasterKey;
	readonly #reread: () => readonly Buffer[] | undefined;

	/**
	 * @param masterKeys 32 bytes each, at least one.
	 * @param reread asked before each sealing, and when a text names an unknown key: the keys of now when they have
	 * changed, else undefined. So a change of the list counts at once, and nothing is sealed with the key of before.
	 * @throws SecretBoxError for a wrong length, none at all, or the same key twice.
	 */
	constructor(masterKeys: readonly Buffer[], reread: () => readonly Buffer[] | undefined = () => undefined) {
		this.#reread = reread;
		[this.#first, this.#ids] = this.#take(masterKeys);
		this.#derivedFrom = this.#first;
	}

	/** Id of the key that seals now; what carries another id wants sealing anew after a rotation. */
	get keyId(): string {
		return this.#first.id;
	}

	/** Ids of the list as it is now, the one that seals first. */
	get keyIds(): readonly string[] {
		return this.#ids;
	}

	/**
	 * @param context what the text belongs to, e.g. `api_client:<id>`; only the same context opens it again, so
	 * a sealed text moved to another row is worthless there.
	 */
	seal(plain: string, context: string): string {
		this.#refresh();
		const nonce = randomBytes(NONCE_BYTES);
		const sealed = encryptGcm(this.#first.sealing, nonce, Buffer.from(plain), Buffer.from(context));
		return `v1.${this.#first.id}.${Buffer.concat([nonce, sealed]).toString("base64url")}`;
	}

	/** @throws SecretBoxError for an unknown key id (named), a foreign context, or a changed text. */
	open(sealed: string, context: string): string {
		const [, id = "", text = ""] = SEALED.exec(sealed) ?? [];
		const bytes = Buffer.from(text, "base64url");
		// Unused bits of the last character could be changed unseen; only one spelling counts.
		if (bytes.length < NONCE_BYTES + TAG_BYTES || bytes.toString("base64url") !== text) {
			throw new SecretBoxError("this is no sealed text of the form v1.<key id>.<base64url>");
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
	 * A 256-bit key for one purpose, always the same for the same FIRST master key, the one of the beginning of this
	 * process: right for what is proved with the master key itself, such as a backup, wrong for anything the database
	 * keeps (`derived-keys.ts`).
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

/** The id of the master key a text is sealed with; undefined for a text that is not sealed. */
export function sealedWith(sealed: string): string | undefined {
	return SEALED.exec(sealed)?.[1];
}

/**
 * `LATCHKEY_MASTER_KEY`: 32 bytes each in base64 (44 characters, `openssl rand -base64 32`), separated by
 * commas; space around a key is dropped.
 *
 * @throws SecretBoxError naming the place and the length of the key that is wrong, not the key.
 */
export function parseMasterKeys(text: string): Buffer[] {
	return text.split(",").map((part, index) => {
		const given = part.trim();
		const bytes = Buffer.from(given, "base64");
		// Node skips what is no base64; only text that comes back the same was a key.
		if (bytes.toString("base64") !== given) throw new SecretBoxError(`master key ${index + 1} is not base64`);
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
