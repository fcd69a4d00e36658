// The responses of an endpoint: successes with their fields, errors with the meaning of each code.

import { Fragment } from "preact";
import { CodeBlock } from "../ui/code-block.tsx";
import { useWords } from "../words/words.ts";
import { type Api, type DocumentedResponse, exampleIn, type Operation } from "./api.ts";
import { FieldList } from "./fields.tsx";
import type { Guides } from "./load-guides.ts";
import { Inline } from "./prose.tsx";

export function ResponseList({ api, operation }: { readonly api: Api; readonly operation: Operation }) {
	const t = useWords("docs");
	if (operation.successes.length === 0) return null;
	return (
		<section>
			<h2>{t.responses}</h2>
			{operation.successes.map((response) => (
				<div key={response.status} class="docs-answer">
					<p class="docs-answer-line">
						<code class="docs-status docs-status--good">{response.status}</code>
						<Inline text={response.description} />
					</p>
					{response.json === undefined ? (
						<p class="lk-muted">{t.noBody}</p>
					) : (
						<>
							<FieldList spec={api.spec} schema={response.json.schema} isResponse />
							<Example
								label={`${response.status}, ${t.example}`}
								value={exampleIn(api.spec, response.json)}
							/>
						</>
					)}
				</div>
			))}
		</section>
	);
}

export function ErrorList({ operation, guides }: { readonly operation: Operation; readonly guides: Guides }) {
	const t = useWords("docs");
	if (operation.errors.length === 0) return null;
	return (
		<section>
			<h2>{t.errors}</h2>
			<p class="lk-muted">{t.errorsText}</p>
			<dl class="docs-errors">
				{operation.errors.map((response) => (
					<ErrorRow key={response.status} response={response} guides={guides} />
				))}
			</dl>
		</section>
	);
}

function ErrorRow({ response, guides }: { readonly response: DocumentedResponse; readonly guides: Guides }) {
	const t = useWords("docs");
	const { status, description, codes } = response;
	return (
		<>
			<dt>
				<code class="docs-status">{status === "default" ? t.otherStatus : status}</code>
			</dt>
			<dd>
				{codes.length === 0 && <Inline text={description} />}
				{codes.map((code) => {
					const known = guides.meanings.get(code);
					return (
						<Fragment key={code}>
							<a class="docs-code" href={`/docs/errors#${code}`}>
								<code>{code}</code>
							</a>
							{known?.meaning !== undefined && (
								<p>
									<Inline text={known.meaning} />
								</p>
							)}
						</Fragment>
					);
				})}
			</dd>
		</>
	);
}

/** A collapsed example body. */
export function Example({ label, value }: { readonly label: string; readonly value: unknown }) {
	const t = useWords("docs");
	return (
		<details class="docs-example">
			<summary>{t.example}</summary>
			<CodeBlock
				label={label}
				snippets={[{ key: "json", label: "JSON", code: JSON.stringify(value, null, 2) }]}
			/>
		</details>
	);
}
