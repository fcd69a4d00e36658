import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { chunk, data, END, header, joined, png } from "../../test/harness/runs/png.ts";
import { cleanPng } from "./png.ts";

const HEADER = header(4, 2);
const DATA = data(4, 2);

describe("cleanPng", () => {
	test("returns an image without further chunks unchanged", () => {
		assert.deepEqual(cleanPng(png()), png());
		assert.deepEqual(cleanPng(png(2048, 1)), png(2048, 1));
	});

	test("drops texts, locations, profiles, and animations", () => {
		const dropped = ["tEXt", "zTXt", "iTXt", "eXIf", "iCCP", "tIME", "acTL", "fdAT", "prVt"].map((type) =>
			chunk(type, "<script>alert(1)</script>"),
		);
		assert.deepEqual(cleanPng(joined(HEADER, ...dropped, DATA, END)), png());
		assert.deepEqual(cleanPng(joined(HEADER, DATA, ...dropped, END)), png());
	});

	test("keeps the palette, transparency, and gamma", () => {
		const palette = chunk("PLTE", Buffer.alloc(6));
		const image = joined(
			header(1, 1, 1, 3),
			chunk("gAMA", Buffer.alloc(4)),
			palette,
			chunk("tRNS", "a"),
			DATA,
			DATA,
			END,
		);
		assert.deepEqual(cleanPng(image), image);
	});

	test("drops transparency and colors that are misplaced, repeated, or of another length", () => {
		const gamma = chunk("gAMA", Buffer.alloc(4));
		const palette = chunk("PLTE", Buffer.alloc(6));
		const bytes = (type: string, length: number) => chunk(type, Buffer.alloc(length));
		const [gray, rgb, indexed] = [header(4, 2, 8, 0), header(4, 2, 8, 2), header(4, 2, 8, 3)];
		const dropped: [before: Buffer[], dropped: Buffer, after: Buffer[]][] = [
			[[HEADER, gamma], gamma, [DATA]],
			[[HEADER], bytes("gAMA", 5), [DATA]],
			[[HEADER], bytes("cHRM", 31), [DATA]],
			[[HEADER], bytes("sRGB", 2), [DATA]],
			[[HEADER, DATA], bytes("sRGB", 1), []],
			[[indexed, palette], gamma, [DATA]],
			[[HEADER], bytes("tRNS", 2), [DATA]],
			[[gray], bytes("tRNS", 6), [DATA]],
			[[rgb], bytes("tRNS", 2), [DATA]],
			[[rgb, DATA], bytes("tRNS", 6), []],
			[[indexed, palette], bytes("tRNS", 3), [DATA]],
			[[indexed, palette], bytes("tRNS", 0), [DATA]],
			[[indexed], bytes("tRNS", 1), [palette, DATA]],
			[[indexed, palette, bytes("tRNS", 1)], bytes("tRNS", 1), [DATA]],
		];
		for (const [index, [head, chunk, rest]] of dropped.entries())
			assert.deepEqual(
				cleanPng(joined(...head, chunk, ...rest, END)),
				joined(...head, ...rest, END),
				String(index),
			);
		for (const [head, length] of [
			[gray, 2],
			[rgb, 6],
		] as const) {
			const colors = [bytes("cHRM", 32), bytes("sRGB", 1), gamma];
			const image = joined(head, ...colors, bytes("tRNS", length), DATA, END);
			assert.deepEqual(cleanPng(image), image);
		}
	});

	test("refuses more than 2,048 pixels on a side", () => {
		assert.equal(cleanPng(joined(header(2049, 1), DATA, END)), "pixels_max");
		assert.equal(cleanPng(joined(header(1, 0xffffffff), DATA, END)), "pixels_max");
	});

	const broken = Buffer.from(png());
	broken.writeUInt8(broken.readUInt8(40) ^ 1, 40);
	for (const [what, bytes] of [
		["nothing", Buffer.alloc(0)],
		["another format", Buffer.from("GIF89a")],
		["SVG", Buffer.from("<svg xmlns='http://www.w3.org/2000/svg'/>")],
		["only a signature", joined()],
		["a wrong checksum", broken],
		["a truncated image", png().subarray(0, -1)],
		["bytes after the end", Buffer.concat([png(), Buffer.from("<script>")])],
		["a chunk after the end", joined(HEADER, DATA, END, chunk("tEXt"))],
		["a length beyond the file", joined(HEADER, Buffer.from("ffffffff49444154", "hex"))],
		["no header", joined(DATA, END)],
		["two headers", joined(HEADER, HEADER, DATA, END)],
		["a short header", joined(chunk("IHDR", "a"), DATA, END)],
		["no data", joined(HEADER, END)],
		["data in two sequences", joined(HEADER, DATA, chunk("tEXt"), DATA, END)],
		["no end", joined(HEADER, DATA)],
		["an end with content", joined(HEADER, DATA, chunk("IEND", "a"))],
		["an unknown critical chunk", joined(HEADER, chunk("EVIL"), DATA, END)],
		["no width", joined(header(0, 1), DATA, END)],
		["a bit depth that the color type does not have", joined(header(1, 1, 4, 6), DATA, END)],
		["an unknown color type", joined(header(1, 1, 8, 5), DATA, END)],
		["an unknown interlace method", joined(header(1, 1, 8, 6, 2), DATA, END)],
		["indexed colors without a palette", joined(header(1, 1, 8, 3), DATA, END)],
		["a palette of broken colors", joined(HEADER, chunk("PLTE", "ab"), DATA, END)],
	] as const)
		test(`refuses ${what}`, () => {
			assert.equal(cleanPng(bytes), "png");
		});
});
