// What the small pages have in common: language, the token of the link, one kind of request, copying, building nodes.

const REQUEST_TIMEOUT_MS = 20_000;

/** `en` or `zh-CN`, as the browser prefers. */
export const locale = /^zh\b/i.test(navigator.language) ? "zh-CN" : "en";

/**
 * Puts the page into the reader's language. The HTML is written in English; in another language each element with
 * `data-text` gets that entry of its words, and each with `data-label` an accessible name. Gives the words.
 */
export function translate(words) {
	const chosen = words[locale];
	if (locale === "en") return chosen;
	document.documentElement.lang = locale;
	document.title = `${chosen.title} · Latchkey`;
	for (const element of document.querySelectorAll("[data-text]"))
		element.textContent = chosen[element.dataset.text];
	for (const element of document.querySelectorAll("[data-label]")) {
		element.setAttribute("aria-label", chosen[element.dataset.label]);
	}
	return chosen;
}

/**
 * The token behind the `#` of the address, `""` when there is none; it is gone from the address bar afterwards, so it
 * stays out of the history, bookmarks and screenshots. Another link opened in this tab starts the page afresh.
 */
export function takeToken() {
	const token = location.hash.slice(1);
	if (token !== "") history.replaceState(null, "", location.pathname);
	addEventListener("hashchange", () => location.reload());
	return token;
}

/**
 * Posts JSON. Gives `{ status, body, retryAfterSeconds }`, `body` undefined when it is not JSON; `status` 0 means that
 * no answer arrived, and nobody knows whether the request did.
 */
export async function post(path, content) {
	try {
		const response = await fetch(path, {
			method: "POST",
			headers: { "Content-Type": "application/json", Accept: "application/json, application/problem+json" },
			body: JSON.stringify(content),
			credentials: "omit",
			cache: "no-store",
			redirect: "error",
			signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
		});
		const text = await response.text();
		const retryAfterSeconds = Number.parseInt(response.headers.get("Retry-After") ?? "", 10);
		return { status: response.status, body: parseJson(text), retryAfterSeconds: retryAfterSeconds || 60 };
	} catch {
		return { status: 0, body: undefined, retryAfterSeconds: 0 };
	}
}

function parseJson(text) {
	try {
		return JSON.parse(text);
	} catch {
		return undefined;
	}
}

/** A new element: attributes as they are, `on…` functions as listeners, texts and nodes as children. */
export function make(tag, attributes = {}, ...children) {
	const element = document.createElement(tag);
	for (const [name, value] of Object.entries(attributes)) {
		if (typeof value === "function") element.addEventListener(name.slice(2), value);
		else if (value === true) element.setAttribute(name, "");
		else if (value !== false && value !== undefined) element.setAttribute(name, value);
	}
	element.append(
		...children.flat(Number.POSITIVE_INFINITY).filter((child) => child !== undefined && child !== ""),
	);
	return element;
}

/**
 * A button that copies `text()`. Says what happened in its own label and, for screen readers, in the page's
 * `#announcement`. Where the browser forbids the clipboard, `source` is selected instead.
 */
export function copyButton(words, label, source, text, onCopied) {
	const button = make(
		"button",
		{ type: "button", class: "copy", "aria-label": `${words.copy}: ${label}` },
		words.copy,
	);
	let timer;
	button.addEventListener("click", async () => {
		const copied = await copy(text());
		if (!copied) select(source);
		const said = copied ? words.copied : words.copyByHand;
		button.textContent = said;
		document.querySelector("#announcement").textContent = `${label}: ${said}`;
		clearTimeout(timer);
		timer = setTimeout(() => {
			button.textContent = words.copy;
		}, 2_500);
		if (copied) onCopied?.();
	});
	return button;
}

async function copy(text) {
	try {
		await navigator.clipboard.writeText(text);
		return true;
	} catch {
		return false;
	}
}

function select(element) {
	const range = document.createRange();
	range.selectNodeContents(element);
	const selection = getSelection();
	selection.removeAllRanges();
	selection.addRange(range);
}

/** Moves reader and keyboard to a part of the page that has just appeared. */
export function show(element) {
	element.hidden = false;
	const heading = element.querySelector("h1, h2") ?? element;
	heading.tabIndex = -1;
	heading.focus({ preventScroll: false });
}
