import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { temporaryFolder } from "../../../test/harness/runs/folder.ts";
import { AppError } from "../../kernel/error.ts";
import { StartError } from "../../kernel/start-error.ts";
import { createBreachedPasswords } from "./breached-passwords.ts";

const sha1 = (text: string): string => createHash("sha1").update(text).digest("hex");

/** The published format: upper case, a count, CR LF; sorted. */
const listOf = (hashes: readonly string[], lineEnd = "\r\n"): string =>
	[...hashes]
		.sort()
		.map((hash, index) => `${hash.toUpperCase()}:${index % 7 === 0 ? 12_345_678 : index}${lineEnd}`)
		.join("");

const many = Array.from({ length: 5_000 }, (_, number) => sha1(`password ${number}`));

describe("a list of breached passwords", () => {
	for (const [name, lineEnd, cut] of [
		["in the published format", "\r\n", 0],
		["with LF line endings", "\n", 0],
		["without a final line feed", "\n", 1],
	] as const) {
		test(`${name}: finds every listed hash and no other`, async () => {
			using folder = temporaryFolder();
			const path = join(folder.path, "list.txt");
			const text = listOf(many, lineEnd);
			writeFileSync(path, text.slice(0, text.length - cut));
			const list = createBreachedPasswords(path);
			await list.requireUsable();
			for (const hash of many.filter((_, index) => index % 8 === 0)) assert.ok(await list.has(hash), hash);
			for (let number = 0; number < 100; number++) assert.ok(!(await list.has(sha1(`other ${number}`))));
			for (const digit of "0F") assert.ok(!(await list.has(digit.repeat(40))));
		});
	}

	for (const count of [1, 2, 60, 80, 100])
		test(`of ${count} lines is searched from the first line to the last`, async () => {
			using folder = temporaryFolder();
			const path = join(folder.path, "list.txt");
			writeFileSync(path, listOf(many.slice(0, count)));
			const list = createBreachedPasswords(path);
			await list.requireUsable();
			for (const [index, hash] of many.slice(0, 200).entries())
				assert.equal(await list.has(hash), index < count);
		});

	test("may be replaced while it is in use", async () => {
		using folder = temporaryFolder();
		const path = join(folder.path, "list.txt");
		writeFileSync(path, listOf([sha1("old")]));
		const list = createBreachedPasswords(path);
		assert.ok(!(await list.has(sha1("new"))));
		writeFileSync(`${path}.next`, listOf([sha1("old"), sha1("new")]));
		renameSync(`${path}.next`, path);
		assert.ok(await list.has(sha1("new")));
	});

	test("that was deleted fails every lookup", async () => {
		using folder = temporaryFolder();
		const path = join(folder.path, "list.txt");
		writeFileSync(path, listOf(many));
		const list = createBreachedPasswords(path);
		rmSync(path);
		await assert.rejects(
			list.has(sha1("x")),
			(error: unknown) => error instanceof AppError && error.code === "service.unavailable",
		);
	});

	const unusable: readonly (readonly [string, string, RegExp])[] = [
		["is empty", "", /is empty/],
		["holds passwords", "password\nletmein\n", /is not a list of SHA-1 hashes: "password"/],
		["holds NTLM hashes", `${"A".repeat(32)}:3\n`, /is not a list of SHA-1 hashes/],
		["is sorted by count", `${"B".repeat(40)}:9\n${"A".repeat(40)}:3\n`, /is not sorted by hash/],
		["is two lists in one", listOf(many) + listOf(many), /is not sorted by hash/],
	];
	for (const [name, text, message] of unusable)
		test(`that ${name} stops the start`, async () => {
			using folder = temporaryFolder();
			const path = join(folder.path, "list.txt");
			writeFileSync(path, text);
			await assert.rejects(createBreachedPasswords(path).requireUsable(), (error: unknown) => {
				assert.ok(error instanceof StartError);
				assert.match(error.message, message);
				assert.match(error.message, /^LATCHKEY_BREACHED_PASSWORDS: /);
				return true;
			});
		});

	test("that does not exist stops the start", async () => {
		using folder = temporaryFolder();
		const list = createBreachedPasswords(join(folder.path, "none.txt"));
		await assert.rejects(list.requireUsable(), / does not exist$/);
	});
});
