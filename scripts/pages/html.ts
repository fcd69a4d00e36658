// Renders the HTML file of a document, without inline scripts or styles.

import type { PageDocument } from "../../pages/documents.ts";
import { FONT_PATH } from "../../src/pages/guide-names.ts";
import type { DocumentAssets } from "./bundle.ts";

const ICON =
	"data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 32 32'><rect width='32' height='32' rx='7' fill='%231f4fd8'/><g fill='none' stroke='%23fff' stroke-width='2.6' stroke-linecap='round'><circle cx='11' cy='16' r='4.6'/><path d='M15.6 16H26v4.5M21.4 16v3.4'/></g></svg>";

/** Title and names of assets contain no characters that HTML escapes. */
export function documentHtml({ title, isIndexed }: PageDocument, assets: DocumentAssets): string {
	const shownTitle = title === "Latchkey" ? title : `${title} · Latchkey`;
	return `<!doctype html>
<html lang="en" dir="ltr">
<head>
<meta charset="utf-8">
<title>${shownTitle}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
${isIndexed === true ? "" : '<meta name="robots" content="noindex">\n'}<link rel="icon" href="${ICON}">
<link rel="stylesheet" href="/pages/${assets.stylesheet}">
${assets.usesFont ? `<link rel="preload" href="${FONT_PATH}" as="font" type="font/woff2" crossorigin>\n` : ""}${assets.preloads.map((name) => `<link rel="modulepreload" href="/pages/${name}">\n`).join("")}<script type="module" src="/pages/${assets.script}"></script>
</head>
<body>
<div id="app"><div class="lk-not-started"><p>This page could not start. Reload it. If that does not help, update your browser.</p><p lang="zh-CN">此页面无法启动。请重新加载；如仍无效，请更新浏览器。</p></div></div>
<noscript><p class="lk-noscript">This page needs JavaScript. The API itself does not: <a href="/docs/api">read its documentation</a>.</p></noscript>
</body>
</html>
`;
}
