// Applies the theme chosen on the other pages to the guides, adds a copy button to each code block, and opens the search by
// the shortcuts that it has on the reference.

const SHOWN_MS = 2_000;
const WORDS = {
	en: { copy: "Copy", copied: "Copied", failed: "Select and copy" },
	"zh-CN": { copy: "复制", copied: "已复制", failed: "请选中后复制" },
}[document.documentElement.lang];

const theme = chosenTheme();
if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;

for (const figure of document.querySelectorAll(".code")) {
	const button = document.createElement("button");
	const text = figure.querySelector("code")?.textContent ?? "";
	button.type = "button";
	button.textContent = WORDS.copy;
	button.addEventListener("click", () => copy(button, text));
	figure.querySelector("figcaption")?.append(button);
}

document.addEventListener("keydown", (event) => {
	const isCommand = (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey;
	const isPlain = !event.ctrlKey && !event.metaKey && !event.altKey;
	if (!(isPlain && event.key === "/") && !(isCommand && event.key.toLowerCase() === "k")) return;
	event.preventDefault();
	location.assign("/docs#search");
});

/** Null where the browser blocks storage or has none. */
function chosenTheme() {
	try {
		return localStorage?.getItem("latchkey.theme") ?? null;
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
