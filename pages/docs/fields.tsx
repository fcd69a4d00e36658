// Fields and parameters with their types, limits and meaning; nested ones below.

import { useWords, type WordsOf } from "../words/words.ts";
import "./fields.css";
import type { OpenApi, Schema } from "./openapi.ts";
import { Inline } from "./prose.tsx";
import { DEPTH_MAX, itemsOf, resolve, typeName } from "./schema.ts";

interface FieldListProps {
	readonly spec: OpenApi;
	readonly schema: Schema | undefined;
	/** In responses all fields are present, so "required" is not repeated at each. */
	readonly isResponse?: boolean;
	readonly depth?: number;
}

/** Fields of an object or of list items; nothing if there are none. */
export function FieldList({ spec, schema, isResponse = false, depth = 0 }: FieldListProps) {
	const whole = itemsOf(spec, resolve(spec, schema));
	const isRequired = (name: string) => !isResponse && (whole.required ?? []).includes(name);
	const all = Object.entries(whole.properties ?? {});
	// Otherwise in the order of the schema.
	const fields = [...all.filter(([name]) => isRequired(name)), ...all.filter(([name]) => !isRequired(name))];
	if (fields.length === 0 || depth >= DEPTH_MAX) return null;
	return (
		<ul class="docs-fields">
			{fields.map(([name, field]) => (
				<FieldRow
					key={name}
					spec={spec}
					name={name}
					schema={field}
					isRequired={isRequired(name)}
					isResponse={isResponse}
					depth={depth}
				/>
			))}
		</ul>
	);
}

interface FieldRowProps {
	readonly spec: OpenApi;
	readonly name: string;
	readonly schema: Schema | undefined;
	readonly isRequired: boolean;
	/** Location of a parameter. */
	readonly place?: string | undefined;
	readonly isResponse?: boolean;
	readonly depth?: number;
}

export function FieldRow({ spec, name, schema, isRequired, place, isResponse, depth = 0 }: FieldRowProps) {
	const t = useWords("docs");
	const whole = resolve(spec, schema);
	return (
		<li class="docs-field">
			<div class="docs-field-head">
				<code class="docs-field-name">{name}</code>
				<span class="docs-note">{typeName(spec, whole, t.type)}</span>
				{place !== undefined && <span class="docs-note">{place}</span>}
				{isRequired && <span class="docs-field-required">{t.required}</span>}
			</div>
			{whole.description !== undefined && (
				<p class="docs-field-meaning">
					<Inline text={whole.description} />
				</p>
			)}
			<Limits items={itemsOf(spec, whole)} whole={whole} />
			<Nested spec={spec} schema={whole} isResponse={isResponse ?? false} depth={depth + 1} />
		</li>
	);
}

/** Below the third level, fields are collapsed. */
function Nested({ spec, schema, isResponse = false, depth = 0 }: FieldListProps) {
	const t = useWords("docs");
	const count = Object.keys(itemsOf(spec, resolve(spec, schema)).properties ?? {}).length;
	if (count === 0 || depth >= DEPTH_MAX) return null;
	const list = <FieldList spec={spec} schema={schema} isResponse={isResponse} depth={depth} />;
	if (depth < 3) return list;
	return (
		<details>
			<summary>{t.nested(count)}</summary>
			{list}
		</details>
	);
}

/** Enumerations and patterns as code, the rest in words. */
function Limits({ items, whole }: { readonly items: Schema; readonly whole: Schema }) {
	const t = useWords("docs");
	const texts = limitsOf(items, whole, t);
	const hasMore = items.enum !== undefined || items.pattern !== undefined || whole.default !== undefined;
	if (texts.length === 0 && !hasMore) return null;
	return (
		<div class="docs-field-limits">
			{texts.map((text) => (
				<span key={text}>{text}</span>
			))}
			{items.enum !== undefined && (
				<span>
					{t.oneOf}{" "}
					{items.enum.map((value) => (
						<>
							<code>{String(value)}</code>{" "}
						</>
					))}
				</span>
			)}
			{items.pattern !== undefined && (
				<span>
					{t.pattern} <code>{items.pattern}</code>
				</span>
			)}
			{whole.default !== undefined && (
				<span>
					{t.fallback} <code>{JSON.stringify(whole.default)}</code>
				</span>
			)}
		</div>
	);
}

function limitsOf(items: Schema, whole: Schema, t: WordsOf<"docs">): string[] {
	const texts: string[] = [];
	if (items.minLength !== undefined || items.maxLength !== undefined)
		texts.push(t.characters(items.minLength, items.maxLength));
	if (whole.minItems !== undefined || whole.maxItems !== undefined)
		texts.push(t.items(whole.minItems, whole.maxItems));
	if (items.minimum !== undefined) texts.push(`≥ ${items.minimum}`);
	if (items.maximum !== undefined) texts.push(`≤ ${items.maximum}`);
	return texts;
}
