// A strict reader of protobuf messages: unknown fields, wrong wire types, and invalid UTF-8 are errors.

/** `[name, type]`; a type is a scalar or the fields of a message. A name that ends in `[]` is repeated. */
export type Field = readonly [name: string, type: Scalar | Fields];
/** By field number; a function if the message is recursive. */
export type Fields = Readonly<Record<number, Field>> | (() => Fields);
type Scalar =
	| "string"
	| "bytes"
	| "bool"
	| "enum"
	| "uint32"
	| "fixed32"
	| "fixed64"
	| "sfixed64"
	| "int64"
	| "uint64"
	| "double";

// biome-ignore lint/suspicious/noExplicitAny: messages are read by tests, which name their fields.
export type Message = Record<string, any>;

const WIRE_TYPES: Readonly<Record<Scalar, number>> = {
	string: 2,
	bytes: 2,
	bool: 0,
	enum: 0,
	uint32: 0,
	int64: 0,
	uint64: 0,
	fixed32: 5,
	fixed64: 1,
	sfixed64: 1,
	double: 1,
};
const UTF8 = new TextDecoder("utf-8", { fatal: true });

class Reader {
	readonly #bytes: Buffer;
	#at = 0;

	constructor(bytes: Buffer) {
		this.#bytes = bytes;
	}

	get isAtEnd(): boolean {
		return this.#at === this.#bytes.length;
	}

	take(length: number): Buffer {
		const end = this.#at + length;
		if (end > this.#bytes.length) throw new Error("protobuf: the message is cut off");
		const part = this.#bytes.subarray(this.#at, end);
		this.#at = end;
		return part;
	}

	varint(): bigint {
		let value = 0n;
		for (let shift = 0n; shift < 70n; shift += 7n) {
			const byte = BigInt(this.take(1)[0] as number);
			value |= (byte & 127n) << shift;
			if (byte < 128n) return value;
		}
		throw new Error("protobuf: a varint of more than ten bytes");
	}

	scalar(type: Scalar): unknown {
		switch (type) {
			case "string":
				return UTF8.decode(this.take(Number(this.varint())));
			case "bytes":
				return this.take(Number(this.varint())).toString("hex");
			case "bool":
				return this.varint() !== 0n;
			case "enum":
			case "uint32":
				return Number(this.varint());
			case "int64":
				return BigInt.asIntN(64, this.varint());
			case "uint64":
				return this.varint();
			case "fixed32":
				return this.take(4).readUInt32LE();
			case "fixed64":
				return this.take(8).readBigUInt64LE();
			case "sfixed64":
				return this.take(8).readBigInt64LE();
			case "double":
				return this.take(8).readDoubleLE();
		}
	}
}

export function readMessage(bytes: Buffer, fields: Fields): Message {
	const known = typeof fields === "function" ? (fields() as Exclude<Fields, () => Fields>) : fields;
	const message: Message = {};
	const reader = new Reader(bytes);
	while (!reader.isAtEnd) {
		const tag = Number(reader.varint());
		const field = known[tag >>> 3];
		if (field === undefined) throw new Error(`protobuf: unknown field ${tag >>> 3}`);
		const [name, type] = field;
		const isRepeated = name.endsWith("[]");
		const key = isRepeated ? name.slice(0, -2) : name;
		for (const value of readValues(reader, tag & 7, type, name)) {
			if (isRepeated) {
				message[key] ??= [];
				message[key].push(value);
			} else if (key in message) throw new Error(`protobuf: ${name} occurs twice`);
			else message[key] = value;
		}
	}
	return message;
}

/** Reads one value, or several if repeated numbers are packed. */
function readValues(reader: Reader, wireType: number, type: Scalar | Fields, name: string): unknown[] {
	if (typeof type !== "string") {
		if (wireType !== 2) throw new Error(`protobuf: ${name} has wire type ${wireType}`);
		return [readMessage(reader.take(Number(reader.varint())), type)];
	}
	if (wireType === WIRE_TYPES[type]) return [reader.scalar(type)];
	if (wireType !== 2 || !name.endsWith("[]")) throw new Error(`protobuf: ${name} has wire type ${wireType}`);
	const packed = new Reader(reader.take(Number(reader.varint())));
	const values: unknown[] = [];
	while (!packed.isAtEnd) values.push(packed.scalar(type));
	return values;
}
