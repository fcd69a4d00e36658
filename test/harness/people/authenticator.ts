// A software passkey authenticator: ES256, no attestation, responses as a browser formats them. It can forge responses.

import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from "node:crypto";

type Json = Record<string, unknown>;

/** Deviations from a valid response. */
export interface Forgery {
	readonly origin?: string;
	readonly rpId?: string;
	readonly challenge?: string;
	readonly type?: string;
	readonly userVerified?: boolean;
	readonly userPresent?: boolean;
	readonly signCount?: number;
	/** base64url; undefined omits it. */
	readonly userHandle?: string | undefined;
	readonly credentialId?: string;
	/** Signs with this key instead. */
	readonly key?: KeyObject;
}

const USER_PRESENT = 0x01;
const USER_VERIFIED = 0x04;
const BACKUP_ELIGIBLE = 0x08;
const BACKED_UP = 0x10;
const ATTESTED = 0x40;

export class Authenticator {
	readonly #credentialId = randomBytes(16);
	readonly #keys = generateKeyPairSync("ec", { namedCurve: "P-256" });
	readonly #origin: string;
	readonly #synced: boolean;
	#userHandle = "";
	#signCount: number;

	/** With `signCount` 0, the authenticator has no counter. */
	constructor(origin = "https://localhost:8443", { synced = true, signCount = 0 } = {}) {
		this.#origin = origin;
		this.#synced = synced;
		this.#signCount = signCount;
	}

	get credentialId(): string {
		return this.#credentialId.toString("base64url");
	}

	get privateKey(): KeyObject {
		return this.#keys.privateKey;
	}

	/** The result of `navigator.credentials.create` as `toJSON()` returns it. */
	create(options: Json, forgery: Forgery = {}): Json {
		const { rp, user, challenge } = options as { rp: Json; user: Json; challenge: string };
		this.#userHandle = String(user.id);
		const authData = Buffer.concat([
			this.#head(forgery.rpId ?? String(rp.id), ATTESTED, forgery),
			Buffer.alloc(16),
			Buffer.from([0, this.#credentialId.length]),
			this.#credentialId,
			this.#coseKey(),
		]);
		const attestationObject = Buffer.concat([
			Buffer.from([0xa3]),
			cborText("fmt"),
			cborText("none"),
			cborText("attStmt"),
			Buffer.from([0xa0]),
			cborText("authData"),
			cborBytes(authData),
		]);
		const clientDataJSON = this.#clientData("webauthn.create", challenge, forgery);
		const response = {
			clientDataJSON: clientDataJSON.toString("base64url"),
			attestationObject: attestationObject.toString("base64url"),
			transports: ["internal", "hybrid"],
		};
		return this.#credential(this.credentialId, response);
	}

	/** The result of `navigator.credentials.get` as `toJSON()` returns it. */
	get(options: Json, forgery: Forgery = {}): Json {
		const { rpId, challenge } = options as { rpId: string; challenge: string };
		if (this.#signCount > 0) this.#signCount++;
		const authenticatorData = this.#head(forgery.rpId ?? rpId, 0, forgery);
		const clientDataJSON = this.#clientData("webauthn.get", challenge, forgery);
		const clientDataHash = createHash("sha256").update(clientDataJSON).digest();
		const signed = Buffer.concat([authenticatorData, clientDataHash]);
		const userHandle = "userHandle" in forgery ? forgery.userHandle : this.#userHandle;
		const response = {
			clientDataJSON: clientDataJSON.toString("base64url"),
			authenticatorData: authenticatorData.toString("base64url"),
			signature: sign("sha256", signed, forgery.key ?? this.#keys.privateKey).toString("base64url"),
			...(userHandle === undefined ? {} : { userHandle }),
		};
		return this.#credential(forgery.credentialId ?? this.credentialId, response);
	}

	#credential(id: string, response: Json): Json {
		return { id, rawId: id, type: "public-key", response, clientExtensionResults: {} };
	}

	#clientData(type: string, challenge: string, forgery: Forgery): Buffer {
		const origin = forgery.origin ?? this.#origin;
		const data = {
			type: forgery.type ?? type,
			challenge: forgery.challenge ?? challenge,
			origin,
			crossOrigin: false,
		};
		return Buffer.from(JSON.stringify(data));
	}

	#head(rpId: string, more: number, { userVerified = true, userPresent = true, signCount }: Forgery): Buffer {
		const flags =
			more |
			(userPresent ? USER_PRESENT : 0) |
			(userVerified ? USER_VERIFIED : 0) |
			(this.#synced ? BACKUP_ELIGIBLE | BACKED_UP : 0);
		const count = Buffer.alloc(4);
		count.writeUInt32BE(signCount ?? this.#signCount);
		return Buffer.concat([createHash("sha256").update(rpId).digest(), Buffer.from([flags]), count]);
	}

	/** RFC 9052: kty EC2, alg ES256, crv P-256, x, y. */
	#coseKey(): Buffer {
		const { x = "", y = "" } = this.#keys.publicKey.export({ format: "jwk" });
		return Buffer.concat([
			Buffer.from([0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21]),
			cborBytes(Buffer.from(x, "base64url")),
			Buffer.from([0x22]),
			cborBytes(Buffer.from(y, "base64url")),
		]);
	}
}

function cborText(text: string): Buffer {
	return Buffer.concat([Buffer.from([0x60 + text.length]), Buffer.from(text)]);
}

function cborBytes(bytes: Buffer): Buffer {
	const head = bytes.length < 256 ? [0x58, bytes.length] : [0x59, bytes.length >> 8, bytes.length & 0xff];
	return Buffer.concat([Buffer.from(head), bytes]);
}
