// The page with which the browser posts an authorization response to an application.

import { BROWSER_PAGE_HEADERS, escapeHtml, htmlDocument } from "./browser-page.ts";

export interface FormToPost {
	/** A registered redirect URI. */
	readonly action: string;
	readonly fields: readonly (readonly [name: string, value: string])[];
}

const SCRIPT = "document.forms[0].submit()";
const SCRIPT_HASH = "'sha256-ePniVEkSivX/c7XWBGafqh8tSpiRrKiqYeqbG7N1TOE='";

/**
 * `form-action` is a scheme, not an origin: Chromium also applies it to redirects of the application, and would stop at
 * one to another origin without a message. The referrer policy lets the application verify the `Origin` of the form.
 */
export function formPostHeaders({ action }: FormToPost): Readonly<Record<string, string>> {
	const { protocol } = new URL(action);
	return {
		...BROWSER_PAGE_HEADERS,
		"content-security-policy": `default-src 'none'; style-src 'self'; font-src 'self'; img-src data:; script-src ${SCRIPT_HASH}; form-action ${protocol}; base-uri 'none'; frame-ancestors 'none'`,
		"referrer-policy": "origin",
	};
}

/** The button is for browsers that do not run scripts. */
export function formPostPage({ action, fields }: FormToPost): string {
	const inputs = fields.map(
		([name, value]) => `<input type="hidden" name="${escapeHtml(name)}" value="${escapeHtml(value)}">`,
	);
	const title = "Continue to the application";
	const content = `<form class="actions" method="post" action="${escapeHtml(action)}">
${inputs.join("\n")}
<button class="primary">${title}</button>
</form>
<script>${SCRIPT}</script>`;
	return htmlDocument({ title, bodyClass: "narrow", isIndexed: false }, content);
}
