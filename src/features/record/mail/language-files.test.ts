import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, test } from "node:test";
import { temporaryFolder } from "../../../../test/harness/runs/folder.ts";
import { StartError } from "../../../kernel/start-error.ts";
import { readLanguage, readOwnLanguages } from "./language-files.ts";

const TEXTS = join(import.meta.dirname, "texts");
const EN = readLanguage(join(TEXTS, "en"));
const BUILT_IN = new Map([
	["en", EN],
	["zh-CN", readLanguage(join(TEXTS, "zh-CN"))],
]);
const LANGUAGE =
	'{ "dates": "eo", "time": "{time} UTC", "signature": "De {host}.", "signatureWithoutHost": "Aŭtomata." }';

function read(files: Readonly<Record<string, string>>) {
	using folder = temporaryFolder();
	for (const [name, text] of Object.entries(files)) {
		mkdirSync(dirname(join(folder.path, name)), { recursive: true });
		writeFileSync(join(folder.path, name), text);
	}
	return readOwnLanguages(folder.path, BUILT_IN, EN);
}

describe("an operator's directory of mail texts", () => {
	test("replaces single texts of a built-in language", () => {
		const own = read({ "en/account_exists.txt": "Hello again\r\n\r\nYou have an account, {username}.\r\n" });
		assert.deepEqual([...own.keys()], ["en"]);
		const files = own.get("en");
		assert.equal(files?.templates.get("account_exists")?.subject, "Hello again");
		assert.deepEqual(files?.templates.get("new_device"), EN.templates.get("new_device"));
		assert.deepEqual([files?.missing, files?.language], [[], EN.language]);
	});

	test("replaces parts of language.json", () => {
		const own = read({ "en/language.json": '{ "signature": "{host} sent this." }' });
		assert.deepEqual(own.get("en")?.language, { ...EN.language, signature: "{host} sent this." });
	});

	test("adds a language, with the default texts where it has none", () => {
		const own = read({
			"eo/language.json": LANGUAGE,
			"eo/account_exists.txt": "Saluton\n\nVi havas konton.\n",
		});
		const files = own.get("eo");
		assert.equal(files?.templates.get("account_exists")?.subject, "Saluton");
		assert.deepEqual(files?.templates.get("new_device"), EN.templates.get("new_device"));
		assert.equal(files?.missing.length, EN.templates.size - 1);
		assert.ok(!files?.missing.includes("account_exists"));
	});

	test("may contain files whose names begin with a dot", () => {
		assert.equal(read({ ".git/config": "", "en/.swp": "" }).size, 1);
	});

	const mistakes: readonly (readonly [why: string, path: string, text: string, message: RegExp])[] = [
		["a file next to the languages", "README.md", "", /README\.md: not a folder with the name of a language/],
		["a directory that is not a language", "english_/x.txt", "", /english_: not a folder/],
		["a language tag that is not canonical", "EN/new_device.txt", "", /EN: not a folder/],
		["a text without a mail", "en/welcome.txt", "A\n\nB\n", /en\/welcome\.txt: no mail has this text/],
		["a file that is not a text", "en/new_device.html", "", /new_device\.html: no mail has this text/],
		["an unknown placeholder", "en/new_device.txt", "A\n\nHi {user}\n", /unknown parameter: \{user\}/],
		["a code that is left out", "en/registration_code.txt", "A\n\nWelcome\n", /\{code\} is left out/],
		["a link that is left out", "en/password_reset.txt", "A\n\nWelcome\n", /\{resetUrl\} is left out/],
		[
			"a language without language.json",
			"eo/new_device.txt",
			"A\n\nB\n",
			/eo\/language\.json does not exist/,
		],
		[
			"an unknown name in language.json",
			"en/language.json",
			'{ "sign": "x" }',
			/language\.json: sign is unknown/,
		],
		[
			"dates in an unknown language",
			"en/language.json",
			'{ "dates": "e" }',
			/language\.json: Invalid language tag/,
		],
		["a broken language.json", "en/language.json", "{", /language\.json: /],
	];
	for (const [why, path, text, message] of mistakes)
		test(`is refused for ${why}, by the setting and the file`, () => {
			assert.throws(
				() => read({ [path]: text }),
				(error) => {
					assert.ok(error instanceof StartError);
					assert.match(error.message, /^LATCHKEY_MAIL_TEXTS \//);
					assert.match(error.message, message);
					return true;
				},
			);
		});

	test("is refused if it does not exist", () => {
		assert.throws(() => readOwnLanguages("/nowhere/texts", BUILT_IN, EN), {
			message: "LATCHKEY_MAIL_TEXTS /nowhere/texts does not exist",
		});
	});
});
