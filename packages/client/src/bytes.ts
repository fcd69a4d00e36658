// Bodies and their digests.

/** Limit of a body in bytes. The signature covers the whole body, so it is kept in memory. */
export const BODY_MAX_BYTES = 2 ** 20;

/** @throws RangeError above 1 MiB, without reading the rest. */
export async function readBytes(chunks: AsyncIterable<Uint8Array> | null): Promise<Uint8Array<ArrayBuffer>> {
	let read = new Blob();
	for await (const chunk of chunks ?? []) {
		read = new Blob([read, chunk as Uint8Array<ArrayBuffer>]);
		if (read.size > BODY_MAX_BYTES) throw new RangeError("the body exceeds 1 MiB");
	}
	return new Uint8Array(await read.arrayBuffer());
}

export function hex(bytes: ArrayBuffer): string {
	return Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
