// The page that accepts an invitation: opening it uses nothing up, pressing the button does.

import { WORDS } from "./invite-words.js";
import { show, translate } from "./page.js";
import { offerPress } from "./press.js";

const MIN_CHARACTERS = 8;
const MAX_BYTES = 72;

const words = translate(WORDS);
const password = document.querySelector("#password");
const again = document.querySelector("#again");

// Enter in a field presses the button; the browser itself sends nothing.
document.querySelector("#form").addEventListener("submit", (event) => event.preventDefault());
document.querySelector("#reveal").addEventListener("change", ({ target }) => {
	for (const field of [password, again]) field.type = target.checked ? "text" : "password";
});

offerPress("/api/v1/auth/invite/accept", words, showDone, { read, mark });

/** The service decides; what is plain to see is told without asking it. */
function read() {
	const text = password.value.normalize("NFC");
	if ([...text].length < MIN_CHARACTERS) return { problem: words.problems["password.too_short"] };
	if (new TextEncoder().encode(text).length > MAX_BYTES)
		return { problem: words.problems["password.too_long"] };
	if (text !== again.value.normalize("NFC")) return { problem: words.differ };
	return { content: { password: password.value } };
}

/** Marks the fields as wrong or not, and takes the reader to the first. */
function mark(isWrong) {
	for (const field of [password, again]) {
		if (isWrong) field.setAttribute("aria-invalid", "true");
		else field.removeAttribute("aria-invalid");
	}
	if (isWrong) password.focus();
}

/** The person signs in where they need to: the session that the answer holds is ended, or expires if that fails. */
function showDone({ body }) {
	const token = body?.data?.access_token;
	if (typeof token === "string") {
		const headers = { Authorization: `Bearer ${token}` };
		fetch("/api/v1/auth/logout", { method: "POST", headers, credentials: "omit" }).catch(() => undefined);
	}
	for (const field of [password, again]) field.value = "";
	document.querySelector("#start").hidden = true;
	show(document.querySelector("#result"));
}
