// Applies the theme chosen on the other pages to the guides, adds a copy button to each code block, marks the section in
// view, and opens the search by the shortcuts that it has on the reference.

const SHOWN_MS = 2_000;
const WORDS = {
	en: { copy: "Copy", copied: "Copied", failed: "Select and copy" },
	"zh-CN": { copy: "复制", copied: "已复制", failed: "请选中后复制" },
}[document.documentElement.lang];

const root = document.documentElement;
const theme = stored("latchkey.theme");
if (theme === "light" || theme === "dark") root.dataset.theme = theme;
const switchTheme = document.querySelector("#theme");
if (switchTheme !== null) {
	switchTheme.hidden = false;
	switchTheme.addEventListener("click", () => {
		const isDark =
			root.dataset.theme === "dark" ||
			(!root.dataset.theme && matchMedia("(prefers-color-scheme: dark)").matches);
		root.dataset.theme = isDark ? "light" : "dark";
		stored("latchkey.theme", root.dataset.theme);
	});
}

// The last section whose heading is above the middle of the window.
const sections = [...document.querySelectorAll(".here a")].map((link) => ({
	link,
	heading: document.getElementById(decodeURIComponent(link.hash.slice(1))),
}));
if (sections.length > 0) {
	const mark = () => {
		const reached = sections.filter(
			({ heading }) => (heading?.getBoundingClientRect().top ?? 0) < innerHeight / 2,
		);
		const current = (reached.at(-1) ?? sections[0]).link;
		for (const { link } of sections) {
			if (link === current) link.setAttribute("aria-current", "location");
			else link.removeAttribute("aria-current");
		}
	};
	addEventListener("scroll", () => requestAnimationFrame(mark), { passive: true });
	mark();
}

for (const figure of document.querySelectorAll(".code")) {
	const button = document.createElement("button");
	const text = figure.querySelector("code")?.textContent ?? "";
	button.type = "button";
	button.textContent = WORDS.copy;
	button.addEventListener("click", () => copy(button, text));
	figure.querySelector("figcaption")?.append(button);
}

// Opens the guide in the reader's language, as the other pages; the link to the other language is a choice that is kept.
const other = document.querySelector(".bar-links > a[hreflang]");
const reader =
	stored("latchkey.language") ?? navigator.languages.find((tag) => /^(?:zh|en)\b/i.test(tag)) ?? "en";
if (other !== null && reader.slice(0, 2) === other.lang.slice(0, 2))
	location.replace(other.href + location.hash);
other?.addEventListener("click", () => stored("latchkey.language", other.lang));

document.addEventListener("keydown", (event) => {
	const isCommand = (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey;
	const isPlain = !event.ctrlKey && !event.metaKey && !event.altKey;
	if (!(isPlain && event.key === "/") && !(isCommand && event.key.toLowerCase() === "k")) return;
	event.preventDefault();
	location.assign("/docs#search");
});

/** The value, or stores one. Null where the browser blocks storage or has none. */
function stored(key, value) {
	try {
		if (value !== undefined) localStorage?.setItem(key, value);
		return localStorage?.getItem(key) ?? null;
	} catch (error) {
		if (error instanceof DOMException) return null;
		throw error;
	}
}

/** `aria-live` makes screen readers announce the changed label. */
function copy(button, text) {
	button.setAttribute("aria-live", "polite");
	const show = (label) => {
		button.textContent = label;
		setTimeout(() => {
			button.textContent = WORDS.copy;
		}, SHOWN_MS);
	};
	navigator.clipboard.writeText(text).then(
		() => show(WORDS.copied),
		() => show(WORDS.failed),
	);
}
