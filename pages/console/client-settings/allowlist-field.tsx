// The allowlist of a client, and what each entry covers while the user types.

import { Badge } from "../../ui/badge.tsx";
import { TextArea } from "../../ui/text-area.tsx";
import { useWords, type WordsOf } from "../../words/words.ts";
import "./allowlist-field.css";
import { ALLOWLIST_ENTRIES_MAX } from "../../api/limits.ts";
import { boundsOf, covers, type Problem, parseRange, type Range } from "./address-range.ts";
import { entriesOf } from "./client-settings.ts";

interface AllowlistFieldProps {
	readonly label: string;
	readonly value: string;
	readonly onValue: (value: string) => void;
}

export function AllowlistField({ label, value, onValue }: AllowlistFieldProps) {
	const t = useWords("console-partners").settings;
	const entries = entriesOf(value);
	return (
		<div class="lk-allowlist">
			<TextArea
				name="ip_allowlist"
				label={label}
				hint={t.allowlistHint}
				error={entries.length > ALLOWLIST_ENTRIES_MAX ? t.tooManyEntries(entries.length) : undefined}
				optional
				code
				rows={3}
				placeholder={"203.0.113.0/24\n2001:db8::/32"}
				value={value}
				onValue={onValue}
			/>
			{entries.length > 0 && <Covered entries={entries.slice(0, ALLOWLIST_ENTRIES_MAX)} />}
		</div>
	);
}

function Covered({ entries }: { readonly entries: readonly string[] }) {
	const t = useWords("console-partners").settings;
	const parsed = entries.map((text) => ({ text, range: parseRange(text) }));
	const invalid = parsed.filter(({ range }) => "problem" in range).length;
	return (
		<>
			<p class="lk-hidden" role="status">
				{t.checked(entries.length, invalid)}
			</p>
			<ol
				class="lk-allowlist__entries"
				aria-label={t.covered}
				// biome-ignore lint/a11y/noNoninteractiveTabindex: a long list is scrolled by keyboard
				tabIndex={0}
			>
				{parsed.map(({ text, range }, index) => (
					<li key={`${index.toString()} ${text}`}>
						<code>{"problem" in range ? text : range.text}</code>
						{"problem" in range ? (
							<span class="lk-allowlist__problem">{problemText(t, range)}</span>
						) : (
							<Coverage range={range} others={parsed.map((other) => other.range)} index={index} />
						)}
					</li>
				))}
			</ol>
		</>
	);
}

interface CoverageProps {
	readonly range: Range;
	readonly others: readonly (Range | Problem)[];
	readonly index: number;
}

function Coverage({ range, others, index }: CoverageProps) {
	const t = useWords("console-partners").settings;
	const [first, last] = boundsOf(range);
	const around = others.find(
		(other, at): other is Range =>
			!("problem" in other) &&
			at !== index &&
			covers(other, range) &&
			(at < index || other.freeBits > range.freeBits),
	);
	return (
		<span class="lk-allowlist__coverage">
			<span>IPv{range.version}</span>
			<span>{t.addresses(range.freeBits)}</span>
			{range.freeBits > 0 && (
				<bdi>
					{first} – {last}
				</bdi>
			)}
			{around !== undefined && <Badge tone="warning">{t.coveredBy(around.text)}</Badge>}
			{range.freeBits === (range.version === 4 ? 32 : 128) && <Badge tone="warning">{t.everyAddress}</Badge>}
		</span>
	);
}

function problemText(t: WordsOf<"console-partners">["settings"], found: Problem): string {
	switch (found.problem) {
		case "hostBits":
			return t.problems.hostBits(found.range);
		case "prefix":
			return t.problems.prefix(found.least, found.most);
		default:
			return t.problems[found.problem];
	}
}
