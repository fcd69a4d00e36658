// The search of the reference: endpoints by name, fields and error codes, and the guides; the best hits first.

import { errorCodes, fieldNames } from "./docs-schema.js";
import { make } from "./page.js";

const HITS_MAX = 12;
const filter = document.querySelector("#filter");
const hits = document.querySelector("#hits");

/** `openLinked` goes to the operation that the address names. */
export async function listenToSearch(spec, groups, words, openLinked) {
	const operations = groups.flatMap((group) => group.operations);
	const entries = operations.map((operation) => operationEntry(spec, operation));
	const apply = () => {
		const wanted = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
		const found = rank(entries, wanted);
		narrow(groups, new Set(found.map(({ operation }) => operation)));
		showHits(wanted.length === 0 ? [] : found.slice(0, HITS_MAX));
		const shown = found.filter(({ operation }) => operation !== undefined).length;
		document.querySelector("#count").textContent = words.count(shown, operations.length);
	};
	filter.disabled = false;
	filter.addEventListener("input", apply);
	filter.addEventListener("keydown", (event) => {
		const first = hits.querySelector("a");
		if (event.key === "Enter" && !event.isComposing && first !== null) first.click();
	});
	hits.addEventListener("click", (event) => {
		// The address may name it already: then nothing changes, and nothing would happen.
		if (event.target.closest("a")?.hash === location.hash) openLinked();
	});
	document.addEventListener("keydown", (event) => {
		if (event.key === "/" && document.activeElement !== filter && !event.ctrlKey && !event.metaKey) {
			event.preventDefault();
			filter.focus();
		}
	});
	apply();
	entries.push(...(await loadGuides()));
	apply();
}

function operationEntry(spec, operation) {
	const { id, method, path, summary, group, parameters } = operation;
	const codes = Object.values(operation.responses ?? {}).flatMap((answer) => errorCodes(spec, answer));
	const fields = [...parameters.map(({ name }) => name), ...fieldNames(spec, operation)];
	const name = [method, path, summary, id, group].join(" ").toLowerCase();
	const text = [...codes, ...fields].join(" ").toLowerCase();
	const title = [make("code", {}, `${method.toUpperCase()} ${path}`), ` ${summary ?? ""}`];
	return { operation, href: `#${id}`, title, name, text };
}

/** Sections of the guides and error codes. Without them the endpoints can still be searched. */
async function loadGuides() {
	try {
		const response = await fetch("/pages/guides.json", { credentials: "omit" });
		const entries = response.ok ? await response.json() : [];
		return entries.map(({ href, title, words }) => ({ href, title, name: title.toLowerCase(), text: words }));
	} catch {
		return [];
	}
}

/** Those that hold every word, the closest first; of equals endpoints come before guides. */
function rank(entries, wanted) {
	const scored = entries.flatMap((entry) => {
		const scores = wanted.map((word) => closeness(entry, word));
		return scores.includes(0) ? [] : [{ entry, score: scores.reduce((sum, score) => sum + score, 0) }];
	});
	return scored.sort((a, b) => b.score - a.score).map(({ entry }) => entry);
}

/** 4: a word of the name, 3: a word of the text, 2 and 1: a part of one, 0: not there. */
function closeness({ name, text }, word) {
	if (` ${name} `.includes(` ${word} `)) return 4;
	if (` ${text} `.includes(` ${word} `)) return 3;
	if (name.includes(word)) return 2;
	return text.includes(word) ? 1 : 0;
}

function narrow(groups, found) {
	for (const { operations, element, index } of groups) {
		for (const operation of operations) {
			const isFound = found.has(operation);
			operation.element.hidden = !isFound;
			operation.entry.parentElement.hidden = !isFound;
		}
		element.hidden = index.hidden = !operations.some((operation) => found.has(operation));
	}
}

/** Above everything else, which is hidden meanwhile: they are in sight however small the screen is. */
function showHits(found) {
	const isSearching = filter.value.trim() !== "";
	hits.replaceChildren(
		...found.map(({ href, title }) => make("li", {}, make("a", { href, class: "hit" }, title))),
	);
	hits.hidden = found.length === 0;
	document.body.classList.toggle("searching", isSearching);
	if (isSearching) scrollTo(0, 0);
}
