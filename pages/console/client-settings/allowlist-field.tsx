// The allowlist of a client, and what each entry covers while the user types.

import { Badge } from "../../ui/badge.tsx";
import { useWords, type WordsOf } from "../../words/words.ts";
import { ListField } from "../editing/list-field.tsx";
import "./allowlist-field.css";
import { ALLOWLIST_ENTRIES_MAX } from "../../api/limits.ts";
import { boundsOf, covers, type Problem, parseRange, type Range } from "./address-range.ts";
import { ENTRY_SEPARATOR, entriesOf } from "./client-settings.ts";

interface AllowlistFieldProps {
	readonly label: string;
	/** One entry per line. */
	readonly value: string;
	readonly onValue: (value: string) => void;
}

export function AllowlistField({ label, value, onValue }: AllowlistFieldProps) {
	const t = useWords("console-partners").settings;
	const count = entriesOf(value).length;
	const ranges = value.split("\n").map((line) => parseRange(line.trim()));
	return (
		<ListField
			name="ip_allowlist"
			label={label}
			hint={t.allowlistHint}
			addLabel={t.addAddress}
			error={count > ALLOWLIST_ENTRIES_MAX ? t.tooManyEntries(count) : undefined}
			optional
			placeholder="203.0.113.0/24"
			separator={ENTRY_SEPARATOR}
			value={value}
			onValue={onValue}
			problemOf={(entry) => {
				const range = parseRange(entry);
				return "problem" in range ? problemText(t, range) : undefined;
			}}
			noteOf={(entry, index) => {
				const range = parseRange(entry);
				return "problem" in range ? undefined : (
					<Coverage entry={entry} range={range} others={ranges} index={index} />
				);
			}}
		/>
	);
}

interface CoverageProps {
	readonly entry: string;
	readonly range: Range;
	readonly others: readonly (Range | Problem)[];
	readonly index: number;
}

function Coverage({ entry, range, others, index }: CoverageProps) {
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
			{range.text !== entry && <code>{range.text}</code>}
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
