// Detects words that mix scripts, by which a name can imitate another: `Раypal` with two Cyrillic letters (UTS #39).

/** Scripts of modern use (UAX #31), and those whose letters resemble Latin ones. */
const NAMED =
	"Latin Cyrillic Greek Armenian Cherokee Coptic Georgian Lisu Deseret Arabic Hebrew Devanagari Bengali Gujarati Gurmukhi Kannada Malayalam Oriya Sinhala Tamil Telugu Thaana Tibetan Ethiopic".split(
		" ",
	);
/** Written without spaces, so that Latin words adjoin: `微信API`. */
const UNSPACED =
	/[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Bopomofo}\p{scx=Hangul}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}]/gu;
const SCRIPTS = NAMED.map((script) => new RegExp(`\\p{Script=${script}}`, "u"));
const WORD = /[\p{L}\p{M}\p{N}]+/gu;

/** Whether letters of one word belong to several scripts. Latin may adjoin Chinese, Japanese, Korean, and Thai. */
export function hasMixedScripts(text: string): boolean {
	return (text.match(WORD) ?? []).some((word) => {
		const spaced = word.replaceAll(UNSPACED, "");
		const found = SCRIPTS.filter((script) => script.test(spaced));
		return found.length > 1 || (found.length === 1 && found[0] !== SCRIPTS[0] && spaced !== word);
	});
}
