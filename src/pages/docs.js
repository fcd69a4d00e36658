// The reference page: /openapi.json as a list one can filter, link to and read.

import { errorCodes, exampleOf, fieldList, fieldRow, prose, resolve } from "./docs-schema.js";
import { listenToSearch } from "./docs-search.js";
import { WORDS } from "./docs-words.js";
import { copyButton, locale, make, translate } from "./page.js";

/** A status of an error, or `default`: any other. */
const IS_ERROR = /^(?:[45]|default$)/;
const METHODS = ["get", "post", "put", "patch", "delete"];

const words = translate(WORDS);
const filter = document.querySelector("#filter");
if (locale !== "en") filter.placeholder = `${words.filter}   /`;
drawGuides();
await load();

function drawGuides() {
	const headers = Object.entries(words.headers).map(([name, text]) => [
		make("dt", {}, make("code", {}, name)),
		make("dd", {}, text),
	]);
	document.querySelector("#headers").append(...headers.flat());
	document.querySelector("#hints").append(...words.hints.map((hint) => make("li", {}, hint)));
}

async function load() {
	let spec;
	try {
		const response = await fetch("/openapi.json", {
			credentials: "omit",
			headers: { Accept: "application/json" },
		});
		if (!response.ok) throw new Error(String(response.status));
		spec = await response.json();
	} catch {
		const problem = document.querySelector("#problem");
		problem.textContent = words.broken;
		problem.hidden = false;
		return;
	}
	document.querySelector("#version").textContent = `${spec.info?.version ?? ""}`;
	document.querySelector("#about").textContent = spec.info?.description ?? "";
	const groups = groupsOf(spec);
	draw(spec, groups);
	await listenToSearch(spec, groups, words, openLinked);
	openLinked();
	addEventListener("hashchange", openLinked);
}

/** `[{ name, id, operations }]`, in the order of the description. */
function groupsOf(spec) {
	const groups = new Map();
	for (const [path, methods] of Object.entries(spec.paths ?? {})) {
		for (const method of METHODS.filter((name) => methods[name] !== undefined)) {
			const operation = methods[method];
			const name = operation.tags?.[0] ?? "";
			if (!groups.has(name)) groups.set(name, { name, id: `group-${groups.size + 1}`, operations: [] });
			const id = operation.operationId ?? `${method}-${path}`;
			const shared = methods.parameters ?? [];
			const parameters = [...shared, ...(operation.parameters ?? [])].map((item) => resolve(spec, item));
			groups.get(name).operations.push({ ...operation, id, method, path, parameters });
		}
	}
	return [...groups.values()];
}

function draw(spec, groups) {
	const index = document.querySelector("#index");
	const guides = [...document.querySelectorAll("#guides li a")];
	index.append(
		indexGroup(
			words.guides,
			guides.map((link) => link.cloneNode(true)),
		),
	);
	for (const group of groups) {
		for (const operation of group.operations) {
			operation.entry = make("a", { href: `#${operation.id}` }, operation.summary ?? operation.path);
			operation.element = operationElement(spec, operation);
			operation.group = group.name;
		}
		group.index = indexGroup(
			group.name,
			group.operations.map(({ entry }) => entry),
		);
		index.append(group.index);
		group.element = make(
			"section",
			{ class: "group", "aria-labelledby": group.id },
			make("h2", { class: "group-title", id: group.id }, group.name),
			group.operations.map(({ element }) => element),
		);
	}
	document.querySelector("#groups").append(...groups.map(({ element }) => element));
}

function indexGroup(name, links) {
	const items = links.map((link) => make("li", {}, link));
	return make("div", {}, make("p", { class: "index-title" }, name), make("ul", {}, items));
}

function operationElement(spec, operation) {
	const { id, method, path, summary, deprecated } = operation;
	return make(
		"details",
		{ class: "operation", id },
		make(
			"summary",
			{},
			make("span", { class: `method ${method}` }, method.toUpperCase()),
			make("code", { class: deprecated ? "path old" : "path" }, breakable(path)),
			make("span", { class: "summary" }, summary ?? ""),
			securityOf(spec, operation).map((name) => make("span", { class: "pill" }, name)),
		),
		make(
			"div",
			{ class: "detail" },
			paragraphs(operation.description),
			parametersPart(spec, operation),
			bodyPart(spec, operation),
			answersPart(spec, operation),
			make("p", { class: "quiet" }, make("a", { href: `#${id}`, "aria-label": words.link }, `#${id}`)),
		),
	);
}

/** Long paths may wrap after each slash. */
function breakable(path) {
	return path.split(/(?<=\/)/).flatMap((piece) => [make("wbr"), piece]);
}

/** Who may call: the names of the security schemes any of which admits. */
function securityOf(spec, operation) {
	const demands = operation.security ?? spec.security ?? [];
	if (demands.length === 0) return [words.security.none];
	return demands.map((demand) => {
		const names = Object.keys(demand).map((name) => words.security[name] ?? name);
		return names.length === 0 ? words.security.none : names.join(" + ");
	});
}

function paragraphs(text = "") {
	return text
		.split(/\n{2,}/)
		.filter((part) => part.trim() !== "")
		.map((part) => make("p", {}, prose(part)));
}

function parametersPart(spec, { parameters }) {
	if (parameters.length === 0) return undefined;
	const rows = parameters.map((item) =>
		fieldRow(
			spec,
			item.name,
			{ ...resolve(spec, item.schema), description: item.description ?? item.schema?.description },
			item.required === true,
			{ ...words, required: `${item.in}, ${words.required}` },
		),
	);
	return [make("h3", {}, words.parameters), make("ul", { class: "fields" }, rows)];
}

function bodyPart(spec, operation) {
	const content = jsonOf(resolve(spec, operation.requestBody));
	if (content === undefined) return undefined;
	const { schema } = content;
	return [
		make("h3", {}, words.body),
		fieldList(spec, schema, words),
		example(`${words.body}, ${words.example}`, exampleIn(spec, content)),
	];
}

function answersPart(spec, operation) {
	const answers = Object.entries(operation.responses ?? {}).map(([status, answer]) => [
		status,
		resolve(spec, answer),
	]);
	const successes = answers
		.filter(([status]) => !IS_ERROR.test(status))
		.map((answer) => successItem(spec, answer));
	const errors = answers.filter(([status]) => IS_ERROR.test(status)).map((answer) => errorItem(spec, answer));
	return [
		successes.length > 0 ? [make("h3", {}, words.answers), ...successes] : [],
		errors.length > 0 ? [make("h3", {}, words.errors), make("ul", { class: "errors" }, errors)] : [],
	].flat();
}

function successItem(spec, [status, answer]) {
	const content = jsonOf(answer);
	const schema = content?.schema;
	// Everything in an answer is there: to say so at each field would be noise.
	const answered = { ...words, required: "" };
	const isEmpty = schema === undefined || schema.type === "null";
	return make(
		"div",
		{ class: "answer" },
		make(
			"p",
			{ class: "answer-line" },
			make("span", { class: "status" }, status),
			` ${answer.description ?? ""}`,
		),
		isEmpty ? make("p", { class: "quiet" }, words.noBody) : fieldList(spec, schema, answered),
		isEmpty ? undefined : example(`${status}, ${words.example}`, exampleIn(spec, content)),
	);
}

function errorItem(spec, [status, answer]) {
	const codes = errorCodes(spec, answer);
	const meaning =
		codes.length === 0
			? answer.description
			: codes.flatMap((code) => [make("code", { class: "error-code" }, code), " "]);
	return make(
		"li",
		{},
		make("span", { class: "status" }, status === "default" ? words.other : status),
		make("span", {}, meaning ?? ""),
	);
}

function jsonOf(body) {
	const content = body?.content?.["application/json"];
	return content?.schema === undefined ? undefined : content;
}

/** The example that the description has, else one made of the schema. */
function exampleIn(spec, { schema, examples }) {
	const [first] = Object.values(examples ?? {});
	return first?.value ?? exampleOf(spec, schema);
}

function example(label, value) {
	const text = JSON.stringify(value, null, 2);
	const pre = make("pre", {}, text);
	const box = make(
		"div",
		{ class: "snippet" },
		pre,
		copyButton(words, label, pre, () => text),
	);
	return make("details", { class: "folded" }, make("summary", {}, words.example), box);
}

/** Opens what the address names, also when the filter hides it, and goes there. */
function openLinked() {
	const id = location.hash.slice(1);
	const target = id === "" ? null : document.getElementById(id);
	if (target === null) return;
	if (target.hidden || target.closest(".searching .guide") !== null) {
		filter.value = "";
		filter.dispatchEvent(new Event("input"));
	}
	if (target instanceof HTMLDetailsElement) {
		target.open = true;
		target.querySelector("summary").focus({ preventScroll: true });
	}
	target.scrollIntoView();
}
