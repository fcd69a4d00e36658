// PNG images of chosen size and chunks.

import { crc32, deflateSync } from "node:zlib";

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

export function chunk(type: string, content: Buffer | string = ""): Buffer {
	const typed = Buffer.concat([Buffer.from(type, "latin1"), Buffer.from(content)]);
	const ends = Buffer.alloc(8);
	ends.writeUInt32BE(typed.length - 4, 0);
	ends.writeUInt32BE(crc32(typed), 4);
	return Buffer.concat([ends.subarray(0, 4), typed, ends.subarray(4)]);
}

/** 8 bits per channel, with transparency unless `color` says otherwise. */
export function header(width: number, height: number, depth = 8, color = 6, interlace = 0): Buffer {
	const content = Buffer.alloc(13);
	content.writeUInt32BE(width, 0);
	content.writeUInt32BE(height, 4);
	content.set([depth, color, 0, 0, interlace], 8);
	return chunk("IHDR", content);
}

export function joined(...chunks: readonly Buffer[]): Buffer {
	return Buffer.concat([SIGNATURE, ...chunks]);
}

/** The pixels of an image in one color, `#rrggbb`. */
export function data(width: number, height: number, color = "#1f4fd8"): Buffer {
	const pixel = Buffer.from(`${color.slice(1)}ff`, "hex");
	const row = Buffer.concat([Buffer.from([0]), ...Array.from({ length: width }, () => pixel)]);
	return chunk("IDAT", deflateSync(Buffer.concat(Array.from({ length: height }, () => row))));
}

export const END = chunk("IEND");

export function png(width = 4, height = 2, color?: string): Buffer {
	return joined(header(width, height), data(width, height, color), END);
}
