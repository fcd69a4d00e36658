// Reads a PNG image (PNG specification, third edition) and rewrites it without what pages and mails do not show.

import { crc32 } from "node:zlib";

/** In pixels: the width and the height of an image. */
export const PNG_SIDE_MAX = 2048;

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
/** Length, type, and checksum of a chunk. */
const CHUNK_OVERHEAD = 12;
/**
 * The lengths of ancillary chunks that are kept, beside transparency. Every other one is dropped: texts, times, locations,
 * color profiles, animations.
 */
const COLOR_LENGTHS: Readonly<Record<string, number>> = { gAMA: 4, cHRM: 32, sRGB: 1 };
/** The length of the transparency of a color type; of indexed colors, at most one byte for each. */
const TRANSPARENCY_LENGTHS: Readonly<Record<number, number>> = { 0: 2, 2: 6 };
/** The bit depths of each color type. */
const BIT_DEPTHS: Readonly<Record<number, readonly number[]>> = {
	0: [1, 2, 4, 8, 16],
	2: [8, 16],
	3: [1, 2, 4, 8],
	4: [8, 16],
	6: [8, 16],
};
const INDEXED = 3;

interface Chunk {
	readonly type: string;
	readonly content: Buffer;
	/** With length, type, and checksum. */
	readonly whole: Buffer;
}

/** The image of its kept chunks; or why it is refused. */
export function cleanPng(bytes: Buffer): Buffer | "png" | "pixels_max" {
	const chunks = chunksOf(bytes);
	if (chunks === undefined || !isInOrder(chunks)) return "png";
	const [header] = chunks;
	if (header === undefined || !isHeader(header.content, chunks)) return "png";
	if (sideOf(header, 0) > PNG_SIDE_MAX || sideOf(header, 4) > PNG_SIDE_MAX) return "pixels_max";
	const kept = keptOf(chunks, header.content.readUInt8(9));
	return Buffer.concat([SIGNATURE, ...kept.map(({ whole }) => whole)]);
}

/** Of ancillary chunks, at most one of each type, in the place and with the length that the specification requires. */
function keptOf(chunks: readonly Chunk[], color: number): Chunk[] {
	const types = chunks.map(({ type }) => type);
	const dataAt = types.indexOf("IDAT");
	const paletteAt = types.indexOf("PLTE");
	const colors = (chunks[paletteAt]?.content.length ?? 0) / 3;
	return chunks.filter((chunk, at) => {
		const { type, content } = chunk;
		if (isCritical(chunk)) return true;
		if (type === "tRNS") {
			const { length } = content;
			const isFitting =
				color === INDEXED ? length > 0 && length <= colors : length === TRANSPARENCY_LENGTHS[color];
			return isFitting && at > paletteAt && at < dataAt && types.indexOf(type) === at;
		}
		const isBefore = at < (paletteAt === -1 ? dataAt : paletteAt);
		return content.length === COLOR_LENGTHS[type] && isBefore && types.indexOf(type) === at;
	});
}

function isCritical({ type }: Chunk): boolean {
	return /^[A-Z]/.test(type);
}

/** Undefined unless the bytes are exactly a signature and chunks with correct checksums. */
function chunksOf(bytes: Buffer): Chunk[] | undefined {
	if (!bytes.subarray(0, SIGNATURE.length).equals(SIGNATURE)) return undefined;
	const chunks: Chunk[] = [];
	for (let at = SIGNATURE.length; at < bytes.length; ) {
		if (bytes.length - at < CHUNK_OVERHEAD) return undefined;
		const end = at + CHUNK_OVERHEAD + bytes.readUInt32BE(at);
		if (end > bytes.length) return undefined;
		const typed = bytes.subarray(at + 4, end - 4);
		if (crc32(typed) !== bytes.readUInt32BE(end - 4)) return undefined;
		chunks.push({
			type: typed.toString("latin1", 0, 4),
			content: typed.subarray(4),
			whole: bytes.subarray(at, end),
		});
		at = end;
	}
	return chunks;
}

/** One header first, at most one palette before the data, the data in one sequence, the end last. */
function isInOrder(chunks: readonly Chunk[]): boolean {
	const critical = chunks.filter(isCritical).map(({ type }) => type);
	const isEndLast = chunks.at(-1)?.type === "IEND" && chunks.at(-1)?.content.length === 0;
	const from = chunks.findIndex(({ type }) => type === "IDAT");
	const upTo = chunks.findLastIndex(({ type }) => type === "IDAT");
	const isOneSequence = chunks.slice(from, upTo).every(({ type }) => type === "IDAT");
	return (
		chunks[0]?.type === "IHDR" &&
		isEndLast &&
		isOneSequence &&
		/^IHDR( PLTE)?( IDAT)+ IEND$/.test(critical.join(" "))
	);
}

function isHeader(content: Buffer, chunks: readonly Chunk[]): boolean {
	if (content.length !== 13) return false;
	const [depth = 0, color = 0, compression, filter, interlace = 0] = content.subarray(8);
	const palette = chunks.find(({ type }) => type === "PLTE")?.content.length;
	const isPaletteValid = palette === undefined || (palette > 0 && palette % 3 === 0 && palette <= 768);
	return (
		content.readUInt32BE(0) > 0 &&
		content.readUInt32BE(4) > 0 &&
		BIT_DEPTHS[color]?.includes(depth) === true &&
		compression === 0 &&
		filter === 0 &&
		interlace <= 1 &&
		isPaletteValid &&
		(color !== INDEXED || palette !== undefined)
	);
}

function sideOf({ content }: Chunk, at: 0 | 4): number {
	return content.readUInt32BE(at);
}
