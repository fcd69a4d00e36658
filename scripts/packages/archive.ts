// Tar and zip archives in memory. The same content gives the same bytes, so checksums can be compared.

import { crc32, gzipSync } from "node:zlib";

/** Content by path, with forward slashes. */
export type Files = ReadonlyMap<string, Buffer>;

const BLOCK = 512;
/** 1985-10-26, as in npm's packages: some programs refuse older times. */
const TIME_SECONDS = 499_162_500;

/** A compressed tar archive (POSIX ustar). Paths have at most 100 bytes. */
export function tarGz(files: Files, isExecutable: (path: string) => boolean = () => false): Buffer {
	const blocks = [...files].flatMap(([path, content]) => [
		tarHeader(path, content.length, isExecutable(path) ? 0o755 : 0o644),
		content,
		Buffer.alloc(-content.length & (BLOCK - 1)),
	]);
	return gzipSync(Buffer.concat([...blocks, Buffer.alloc(2 * BLOCK)]), { level: 9 });
}

function tarHeader(path: string, bytes: number, mode: number): Buffer {
	const header = Buffer.alloc(BLOCK);
	const octal = (value: number, offset: number, length: number) =>
		header.write(`${value.toString(8).padStart(length - 1, "0")}\0`, offset);
	if (header.write(path, 0) > 100) throw new RangeError(`the path is too long for a tar archive: ${path}`);
	octal(mode, 100, 8);
	octal(0, 108, 8);
	octal(0, 116, 8);
	octal(bytes, 124, 12);
	octal(TIME_SECONDS, 136, 12);
	header.fill(" ", 148, 156);
	header.write("0", 156);
	header.write("ustar\x0000", 257);
	const sum = header.reduce((total, byte) => total + byte, 0);
	header.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
	return header;
}

/** A zip archive without compression. */
export function zip(files: Files): Buffer {
	const entries: Buffer[] = [];
	const directory: Buffer[] = [];
	let offset = 0;
	for (const [path, content] of files) {
		const name = Buffer.from(path);
		const common = zipFields(name.length, content);
		const local = Buffer.concat([Buffer.from("PK\x03\x04"), common, name, content]);
		const central = Buffer.alloc(14);
		// Regular file, readable by all.
		central.writeUInt32LE((0o100644 << 16) >>> 0, 6);
		central.writeUInt32LE(offset, 10);
		directory.push(Buffer.from("PK\x01\x02\x14\x03", "latin1"), common, central, name);
		entries.push(local);
		offset += local.length;
	}
	const listed = Buffer.concat(directory);
	const end = Buffer.alloc(22);
	end.write("PK\x05\x06");
	end.writeUInt16LE(files.size, 8);
	end.writeUInt16LE(files.size, 10);
	end.writeUInt32LE(listed.length, 12);
	end.writeUInt32LE(offset, 16);
	return Buffer.concat([...entries, listed, end]);
}

/** What an entry and its directory record have in common: version, time, checksum, and sizes. */
function zipFields(nameBytes: number, content: Buffer): Buffer {
	const fields = Buffer.alloc(26);
	fields.writeUInt16LE(20, 0);
	// 1980-01-01, the earliest date.
	fields.writeUInt16LE(0x21, 8);
	fields.writeUInt32LE(crc32(content), 10);
	fields.writeUInt32LE(content.length, 14);
	fields.writeUInt32LE(content.length, 18);
	fields.writeUInt16LE(nameBytes, 22);
	return fields;
}
