import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";
import type { StaticPage } from "../http/serve/static-page.ts";
import { ERROR_KINDS } from "../kernel/error.ts";
import { colorCode } from "./color-code.ts";
import { CHINESE_GUIDES, GUIDES } from "./guide-names.ts";
import { renderMarkdown } from "./guide-page.ts";
import { loadGuides } from "./guides.ts";

const guides = loadGuides();
const served = new Map<string, StaticPage>();
for (const [path, page] of guides) served.set(path, await page());
const bodyOf = (path: string): string => served.get(path)?.body.toString() ?? "";

const unescaped = (html: string): string =>
	html.replaceAll(
		/&(amp|lt|gt|quot|#39);/g,
		(_, name) => ({ amp: "&", lt: "<", gt: ">", quot: '"', "#39": "'" })[name as string] ?? "",
	);

const readGuide = (path: string): string =>
	readFileSync(new URL(`../../docs/${path}.md`, import.meta.url), "utf8");

describe("guides", () => {
	test("are served under their names, confined like every page", () => {
		assert.deepEqual(
			[...guides.keys()],
			[
				...GUIDES.map((name) => `/docs/${name}`),
				...CHINESE_GUIDES.map((name) => `/docs/zh-cn/${name}`),
				"/docs/signing-vectors.json",
				"/pages/guides.json",
			],
		);
		for (const name of GUIDES) {
			const body = bodyOf(`/docs/${name}`);
			assert.match(body, /<h1 id="[a-z-]+">/);
			const [script, ...more] = body.match(/<script.*?>/g) ?? [];
			assert.deepEqual([script, more], ['<script src="/pages/guide.js" defer>', []]);
			assert.doesNotMatch(body, /<style|\sstyle=|<img|<iframe|\son[a-z]+=/);
			for (const [, address = ""] of body.matchAll(/(?:href|src)="([^"]*)"/g))
				assert.match(address, /^(?:#|\/|https:|data:,$)/, name);
			assert.match(
				served.get(`/docs/${name}`)?.headers["content-security-policy"] ?? "",
				/default-src 'none'/,
			);
		}
	});

	test("link only to existing headings and rows of guides", () => {
		for (const [path, { body: page }] of served)
			for (const [, guide = "", anchor] of page
				.toString()
				.matchAll(/href="(\/docs\/[a-z/-]+)(?:#([^"]+))?"/gu)) {
				const body = bodyOf(guide);
				assert.notEqual(body, "", guide);
				if (anchor !== undefined) assert.ok(body.includes(` id="${anchor}"`), `${path}: ${guide}#${anchor}`);
			}
	});

	test("explain every error code under the URL that problem details name", () => {
		for (const code of Object.keys(ERROR_KINDS))
			assert.ok(bodyOf("/docs/errors").includes(` id="${code}"`), code);
	});

	test("contain their diagrams as elements with a name and a description", () => {
		for (const [path, file, name] of [
			["signing", "claim", "From the access request to the first signed call"],
			["signing", "signed-request", "How a request is signed"],
			["protect-your-application", "code-flow", "Sign-in with the authorization code flow"],
			["zh-cn/signing", "claim", "从接入申请到第一次签名调用"],
			["zh-cn/signing", "signed-request", "请求如何签名"],
		]) {
			const body = bodyOf(`/docs/${path}`);
			assert.match(
				body,
				new RegExp(
					`<svg [^>]*role="img" aria-labelledby="${file}-title ${file}-desc">\\n<title id="${file}-title">${name}</title>\\n<desc id="${file}-desc">\\S`,
				),
			);
		}
	});

	test("lead on: the sections of the page, the previous guide, and the next one", () => {
		const body = bodyOf("/docs/openid");
		const [, here = ""] = /<nav class="here" aria-label="On this page">(.*?)<\/nav>/.exec(body) ?? [];
		const anchors = [...here.matchAll(/href="#([^"]+)"/g)].map(([, anchor = ""]) => anchor);
		assert.equal(anchors.length, body.match(/<h2 id=/g)?.length);
		for (const anchor of anchors) assert.ok(body.includes(`<h2 id="${anchor}"`), anchor);
		const steps = /<footer class="steps">(.*?)<\/footer>/.exec(body)?.[1] ?? "";
		assert.deepEqual(
			[...steps.matchAll(/href="([^"]+)"/g)].map(([, href]) => href),
			["/docs/single-page-applications", "/docs/no-secret-in-your-pipeline"],
		);
		assert.match(bodyOf(`/docs/${GUIDES[0]}`), /<footer class="steps"><span><\/span><span class="step">/);
	});

	test("color code without changing its text", () => {
		for (const name of GUIDES) {
			const code = [...readGuide(name).matchAll(/^( *)```\w*\n([\s\S]*?)^ *```$/gm)].map(
				([, indent = "", text = ""]) => text.replaceAll(new RegExp(`^${indent}`, "gm"), ""),
			);
			const shown = [
				...bodyOf(`/docs/${name}`).matchAll(/<pre tabindex="0"><code translate="no">([\s\S]*?)<\/code>/g),
			].map(([, html = ""]) => unescaped(html.replaceAll(/<\/?span[^>]*>/g, "")));
			assert.deepEqual(shown, code, name);
		}
	});

	test("include the signing vectors as a file", () => {
		const { vectors } = JSON.parse(bodyOf("/docs/signing-vectors.json"));
		assert.ok(vectors.length > 5);
		assert.match(bodyOf("/docs/signing"), /<a href="\/docs\/signing-vectors\.json">/);
	});

	test("have search entries that lead to existing headings and rows", () => {
		const entries: { href: string; title: string; words: string; meaning?: string }[] = JSON.parse(
			bodyOf("/pages/guides.json"),
		);
		const reused = entries.find(({ title }) => title === "nonce.reused");
		assert.equal(reused?.href, "/docs/errors#nonce.reused");
		assert.match(reused.meaning ?? "", /^\S.+\.$/);
		for (const { href } of entries) {
			const [path = "", anchor = ""] = href.split("#");
			assert.ok(bodyOf(path).includes(` id="${anchor}"`), href);
		}
	});
});

describe("colors of code", () => {
	for (const [language, code, expected] of [
		[
			"js",
			'const a = "<b>"; // c',
			'<span class="c-keyword">const</span> a = <span class="c-string">&quot;&lt;b&gt;&quot;</span>; <span class="c-comment">// c</span>',
		],
		[
			"js",
			'fetch("https://a.example//b")',
			'fetch(<span class="c-string">&quot;https://a.example//b&quot;</span>)',
		],
		[
			"sh",
			"A=1 curl $A#x # y",
			'<span class="c-name">A</span>=1 curl <span class="c-name">$A</span>#x <span class="c-comment"># y</span>',
		],
		[
			"json",
			'{"a": "b"}',
			'{<span class="c-name">&quot;a&quot;</span>: <span class="c-string">&quot;b&quot;</span>}',
		],
		[
			"yaml",
			"a: 'b' # c",
			'<span class="c-name">a</span>: <span class="c-string">&#39;b&#39;</span> <span class="c-comment"># c</span>',
		],
		["unknown", "<b>", "&lt;b&gt;"],
	])
		test(`${language}: ${code}`, () => assert.equal(colorCode(code ?? "", language ?? ""), expected));

	test("take time in proportion to the length", () => {
		for (const language of ["js", "sh", "json", "yaml", "python"])
			for (const part of ['"', "'\\", "/*", "`", "  - ", "#", '"""'])
				assert.equal(colorCode(part.repeat(20_000), language).length > 0, true);
	});
});

describe("guides in Chinese", () => {
	for (const name of CHINESE_GUIDES) {
		const english = readGuide(name);
		const chinese = readGuide(`zh-cn/${name}`);
		// The table of all routes exists in English only.
		const shown = name === "api" ? english.slice(0, english.indexOf("\n### Health")) : english;

		test(`have the sections, code, and error codes of the English guide: ${name}`, () => {
			const levels = (text: string) => text.match(/^#+(?= )/gm);
			assert.deepEqual(levels(chinese), levels(shown));
			const code = (text: string) => text.match(/^```[\s\S]*?^```$/gm);
			assert.deepEqual(code(chinese), code(shown));
			const rows = (text: string) => text.match(/^\| (?:\d{3} )?`[a-z_]+\.[a-z_]+`/gm);
			assert.deepEqual(rows(chinese), rows(shown));
		});

		test(`are linked with the English guide in both directions: ${name}`, () => {
			const page = bodyOf(`/docs/zh-cn/${name}`);
			assert.match(page, /^<html lang="zh-CN">$/m);
			assert.match(page, new RegExp(`<a href="/docs/${name}" lang="en" hreflang="en">English</a>`));
			assert.match(
				bodyOf(`/docs/${name}`),
				new RegExp(`<a href="/docs/zh-cn/${name}" lang="zh-CN" hreflang="zh-CN">中文</a>`),
			);
		});
	}
});

describe("Markdown", () => {
	test("shows embedded HTML as text", () => {
		for (const html of [
			"<script>alert(1)</script>",
			"a <img src=x onerror=alert(1)> b",
			"<b onclick=x>y</b>",
			"![x](images/claim.svg)",
			"![x](https://example.com/claim.svg)",
		]) {
			const shown = renderMarkdown(html);
			assert.doesNotMatch(shown, /<(?!\/?p>)/, html);
		}
	});

	test("keeps only links with a served target", () => {
		for (const [href, expected] of [
			["errors.md#429", "/docs/errors#429"],
			["#here", "#here"],
			["/openapi.json", "/openapi.json"],
			["https://example.com/a?b=1&c", "https://example.com/a?b=1&amp;c"],
			["operations.md", undefined],
			["signing-vectors.json", "/docs/signing-vectors.json"],
			["../test/vectors/vectors.json", undefined],
			["javascript:alert(1)", undefined],
			["http://example.com", undefined],
			["//example.com", undefined],
		] as const) {
			const found = /<a href="([^"]*)">x<\/a>/.exec(renderMarkdown(`[x](${href})`))?.[1];
			assert.equal(found, expected, href);
		}
	});
});
