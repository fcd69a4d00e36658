import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { folded } from "./folded.ts";

const NAMES: readonly (readonly [name: string, typed: string])[] = [
	["Zoë", "zoe"],
	["GARCÍA", "garcia"],
	["Jose\u0301", "jose"],
	["Nguyễn Thị Ánh Đào", "nguyen thi anh dao"],
	["Þórður Guðmundsson", "thordur gudmundsson"],
	["Straße", "strasse"],
	["STRAẞE", "strasse"],
	["Łukasz Żółć", "lukasz zolc"],
	["Søren Kierkegård", "soren kierkegard"],
	["Ælfred Œuvrard", "aelfred oeuvrard"],
	["İpek Işık", "ipek isik"],
	["Ħal Ŧŋ", "hal tn"],
	["Семён", "семен"],
	["ΣΊΣΥΦΟΣ", "σισυφοσ"],
	["Σίσυφος", "σισυφοσ"],
	["أحمد", "احمد"],
	["O’Brien‐Ｓｍｉｔｈ", "o'brien-smith"],
	["Ｚｏｅ　１００％", "zoe 100%"],
	["ﬁ\u00a0①", "fi 1"],
	["ｶﾞｷﾞ", "ガギ"],
	["서울", "서울"],
	["राम", "राम"],
	["王小明", "王小明"],
	["", ""],
];

describe("folded", () => {
	for (const [name, typed] of NAMES) it(`folds ${name} to ${typed}`, () => assert.equal(folded(name), typed));

	it("folds a folded text to itself, and both cases of a letter alike", () => {
		const letters = Array.from({ length: 0x30_00 }, (_, code) => String.fromCodePoint(code));
		assert.deepEqual(
			letters.filter((letter) => folded(folded(letter)) !== folded(letter)),
			[],
		);
		// These letters decompose into a mark of their own, which only its capital form replaces.
		const isIotaOrOldCyrillic = /[\u0345\u1c80-\u1c88\u1f80-\u1fff]/;
		assert.deepEqual(
			letters.filter((one) => !isIotaOrOldCyrillic.test(one) && folded(one.toUpperCase()) !== folded(one)),
			[],
		);
	});
});
