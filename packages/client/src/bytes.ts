// Bodies and their digests.

/** Limit of a body that is kept in memory, in bytes. */
export const BODY_MAX_BYTES = 2 ** 20;

/** The bytes, or an ArrayBuffer with their SHA-256. */
export type SignedBody = Uint8Array<ArrayBuffer> | ArrayBuffer;

/** @throws RangeError for a stream above 1 MiB, without reading the rest. A Blob may be larger. */
export async function readBytes(
	body: AsyncIterable<Uint8Array> | Blob | null,
): Promise<Uint8Array<ArrayBuffer>> {
	let read = body instanceof Blob ? body : new Blob();
	if (read !== body)
		for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>) {
			read = new Blob([read, chunk as Uint8Array<ArrayBuffer>]);
			if (read.size > BODY_MAX_BYTES) throw new RangeError("the body exceeds 1 MiB");
		}
	return new Uint8Array(await read.arrayBuffer());
}

/** The bytes of hex digits. */
export function unhex(digits: string): ArrayBuffer {
	return Uint8Array.from(digits.match(/../g) as string[], (pair) => +`0x${pair}`).buffer;
}

export function hex(bytes: ArrayBuffer): string {
	return Array.from(new Uint8Array(bytes), (byte) => (byte + 256).toString(16).slice(1)).join("");
}
