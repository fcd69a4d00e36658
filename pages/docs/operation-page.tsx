// One endpoint: description, request, responses, code, and a form to try it.

import { useState } from "preact/hooks";
import { Badge } from "../ui/badge.tsx";
import { CopyButton } from "../ui/copy-button.tsx";
import { Link } from "../ui/link.tsx";
import { useWords } from "../words/words.ts";
import { type Api, exampleIn, groupId, type Operation } from "./api.ts";
import { initialValues } from "./call.ts";
import { CodePanel } from "./code-panel.tsx";
import { FieldList, FieldRow } from "./fields.tsx";
import type { Guides } from "./load-guides.ts";
import { ForeignNote, Method } from "./prose.tsx";
import { ErrorList, Example, ResponseList } from "./responses.tsx";
import "./operation-page.css";
import { Paragraphs, Path } from "./prose.tsx";
import { TryIt } from "./try-it.tsx";

interface OperationPageProps {
	readonly api: Api;
	readonly operation: Operation;
	readonly guides: Guides;
}

export function OperationPage({ api, operation, guides }: OperationPageProps) {
	const t = useWords("docs");
	const [values, setValues] = useState(() => initialValues(api, operation));
	const sent = operation.body ?? operation.form;
	return (
		<article class="docs-operation lk-stack">
			<Head operation={operation} />
			<div class="docs-operation-text lk-stack">
				{operation.description !== "" && (
					<div class="lk-stack docs-operation-about">
						<Paragraphs text={operation.description} />
					</div>
				)}
				<Parameters api={api} operation={operation} />
				{sent !== undefined && (
					<section>
						<h2>{operation.form === undefined ? t.body : t.form}</h2>
						<FieldList spec={api.spec} schema={sent.schema} />
						<Example label={`${t.body}, ${t.example}`} value={exampleIn(api.spec, sent)} />
					</section>
				)}
				<ResponseList api={api} operation={operation} />
				<ErrorList operation={operation} guides={guides} />
			</div>
			{operation.form === undefined && (
				<div class="docs-operation-side lk-stack" id="try">
					<CodePanel api={api} operation={operation} values={values} />
					<TryIt
						api={api}
						operation={operation}
						values={values}
						onValue={(key, value) => setValues((before) => ({ ...before, [key]: value }))}
					/>
				</div>
			)}
		</article>
	);
}

function Head({ operation }: { readonly operation: Operation }) {
	const t = useWords("docs");
	const { id, method, path, summary, group, allowed, schemes } = operation;
	const names = schemes.map((name) => t.security[name as keyof typeof t.security] ?? name);
	return (
		<header class="docs-operation-head lk-stack">
			<p class="docs-operation-group">
				<Link href={`#${groupId(group)}`}>{group}</Link>
			</p>
			<h1 tabIndex={-1} lang="en">
				{summary}
			</h1>
			<ForeignNote />
			<div class="docs-operation-target">
				<Method method={method} />
				<Path path={path} />
				<CopyButton text={path} variant="quiet" />
			</div>
			<div class="docs-operation-facts">
				{(names.length === 0 ? [t.security.none] : names).map((name) => (
					<Badge key={name}>{name}</Badge>
				))}
				{allowed !== "" && (
					<span>
						{t.allowed}: {allowed}
					</span>
				)}
				<a class="lk-link" href={`#${id}`}>
					<span class="lk-hidden">{t.linkHere}: </span>#{id}
				</a>
				{operation.form === undefined && (
					<button
						type="button"
						class="docs-operation-jump"
						onClick={() => document.getElementById("try")?.scrollIntoView()}
					>
						{t.codeAndTry}
					</button>
				)}
			</div>
		</header>
	);
}

function Parameters({ api, operation }: { readonly api: Api; readonly operation: Operation }) {
	const t = useWords("docs");
	if (operation.parameters.length === 0) return null;
	return (
		<section>
			<h2>{t.parameters}</h2>
			<ul class="docs-fields">
				{operation.parameters.map((parameter) => (
					<FieldRow
						key={`${parameter.in}.${parameter.name}`}
						spec={api.spec}
						name={parameter.name}
						schema={{
							...parameter.schema,
							...(parameter.description !== undefined && { description: parameter.description }),
						}}
						place={t.places[parameter.in]}
						isRequired={parameter.required === true}
					/>
				))}
			</ul>
		</section>
	);
}
