// The search entries of the guides: each section, and each table row that explains an error code.

import { lexer, type Token, type Tokens } from "marked";

interface GuideEntry {
	readonly href: string;
	readonly title: string;
	/** The distinct words of the text, in lower case. */
	readonly words: string;
	/** The meaning of an error code, with code in backticks. */
	readonly meaning?: string;
}

/** The anchor of a heading, as GitHub forms it. `seen` counts repeated headings of one page. */
export function headingId(heading: string, seen: Map<string, number>): string {
	const id = heading
		.toLowerCase()
		.replaceAll(/[^\p{L}\p{N} _-]/gu, "")
		.replaceAll(" ", "-");
	const count = seen.get(id) ?? 0;
	seen.set(id, count + 1);
	return count === 0 ? id : `${id}-${count}`;
}

export function guideEntries(name: string, markdown: string): GuideEntry[] {
	const seen = new Map<string, number>();
	const sections: { readonly href: string; readonly title: string; text: string }[] = [];
	const codes: GuideEntry[] = [];
	let guide = "";
	for (const token of lexer(markdown)) {
		if (isHeading(token)) {
			const title = token.text.replaceAll("`", "");
			guide ||= title;
			const href = `/docs/${name}#${headingId(token.text, seen)}`;
			sections.push({ href, title: title === guide ? guide : `${guide} › ${title}`, text: token.text });
		} else {
			const section = sections.at(-1);
			if (section !== undefined) section.text += ` ${token.raw}`;
			if (token.type === "table") codes.push(...codeEntries(name, token as Tokens.Table));
		}
	}
	return [...codes, ...sections.map(({ href, title, text }) => ({ href, title, words: wordsOf(text) }))];
}

function isHeading(token: Token): token is Tokens.Heading {
	return token.type === "heading";
}

/** Rows of tables whose first column is a code such as `nonce.reused`. */
function codeEntries(name: string, { rows }: Tokens.Table): GuideEntry[] {
	return rows.flatMap(([first, ...others]) => {
		const code = /^`([a-z_]+\.[a-z_]+)`$/.exec(first?.text ?? "")?.[1];
		if (code === undefined) return [];
		const text = others.map((cell) => cell.text).join(" ");
		const meaning = withoutLinks(others[0]?.text ?? "");
		return [{ href: `/docs/${name}#${code}`, title: code, words: wordsOf(text), meaning }];
	});
}

/** `[text](address)` becomes `text`. */
function withoutLinks(markdown: string): string {
	return markdown.replaceAll(/\[([^[\]]*)\]\([^()]*\)/g, "$1");
}

function wordsOf(text: string): string {
	return [...new Set(text.toLowerCase().match(/[\p{L}\p{N}_./-]{2,}/gu) ?? [])].join(" ");
}
