import assert from "node:assert/strict";
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { temporaryFolder } from "../../../../test/harness/runs/folder.ts";
import { BUILT_IN_LOCALES as LOCALES } from "../../../domain/locale.ts";
import { MAIL_TEXT_PARAMETERS, readLanguage } from "./language-files.ts";
import { parseLetter, placeholdersOf } from "./letter-template.ts";
import { loadMailTexts } from "./mail-texts.ts";

const TEXTS = join(import.meta.dirname, "texts");

function parametersOf(locale: string, name: string): string[] {
	const text = readFileSync(join(TEXTS, locale, `${name}.txt`), "utf8");
	const conditions = [...text.matchAll(/^\[(?:if|unless) ([A-Za-z]+)/gm)].map(
		([, parameter = ""]) => parameter,
	);
	return [...new Set([...placeholdersOf(text), ...conditions])].sort();
}

describe("texts of mails", () => {
	test("every language has a folder and loads", () => {
		assert.deepEqual(readdirSync(TEXTS).sort(), [...LOCALES].sort());
		assert.deepEqual([...loadMailTexts().locales], [...LOCALES]);
	});
	for (const [name, parameters] of MAIL_TEXT_PARAMETERS)
		test(`${name} uses the same parameters in every language, and all it has`, () => {
			const [first, ...others] = LOCALES.map((locale) => parametersOf(locale, name));
			for (const other of others) assert.deepEqual(other, first);
			// Only passkeys have a name.
			const unused = /^second_factor_changed\.(?!passkey)/.test(name) ? ["name"] : [];
			assert.deepEqual([...(first ?? []), ...unused].sort(), [...parameters].sort());
		});
});

describe("an invalid directory of texts is refused with the name of the file", () => {
	for (const [why, change, message] of [
		[
			"a missing text",
			(folder) => rmSync(join(folder, "password_reset.txt")),
			/password_reset\.txt does not exist/,
		],
		[
			"a text without a mail",
			(folder) => writeFileSync(join(folder, "password_rest.txt"), "A\n\nB\n"),
			/password_rest\.txt: no mail has this text/,
		],
		[
			"an unknown parameter",
			(folder) => writeFileSync(join(folder, "new_device.txt"), "A\n\nHello {user}\n"),
			/new_device\.txt: unknown parameter: \{user\}/,
		],
		[
			"a signature without its host",
			(folder) => writeFileSync(join(folder, "language.json"), '{ "dates": "en", "time": "{time}" }'),
			/language\.json: signature must be a text with the placeholders \[host\]/,
		],
	] as const satisfies readonly (readonly [string, (folder: string) => void, RegExp])[]) {
		test(why, () => {
			using folder = temporaryFolder();
			cpSync(join(TEXTS, "en"), folder.path, { recursive: true });
			change(folder.path);
			assert.throws(() => readLanguage(folder.path), { message });
		});
	}
});

describe("an invalid text is refused", () => {
	for (const [why, text] of [
		["no text below the subject", "Subject\n"],
		["a subject of two lines", "Subject\nmore\n\nText\n"],
		["an unknown parameter in a condition", "Subject\n\n[if note]\nText\n"],
		["a mistyped condition", "Subject\n\n[when name]\nText\n"],
		["a button with a literal URL", "Subject\n\n[Open](https://evil.example/)\n"],
		["a fact without a label", "Subject\n\n- {name}\n"],
		["an unclosed code", "Subject\n\n`{name}\n"],
	] as const)
		test(why, () => assert.throws(() => parseLetter(text, ["name"])));
});
