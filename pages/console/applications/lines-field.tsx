// A list with one entry per line, and the problems of each line below it.

import { Icon } from "../../ui/icon.tsx";
import { danger, success } from "../../ui/icons.ts";
import { linesOf, TextArea } from "../../ui/text-area.tsx";
import { useWords } from "../../words/words.ts";
import "./lines-field.css";

interface LinesFieldProps {
	readonly name: string;
	readonly label: string;
	readonly hint: string;
	readonly value: string;
	readonly onValue: (value: string) => void;
	/** The problem as text; undefined if the line is valid. */
	readonly problemOf: (line: string) => string | undefined;
	/** Shown if all lines are valid. */
	readonly allRight?: ((count: number) => string) | undefined;
}

export function LinesField({ problemOf, allRight, ...field }: LinesFieldProps) {
	const lines = linesOf(field.value);
	return (
		<div class="lk-lines">
			<TextArea {...field} rows={Math.min(10, Math.max(4, lines.length + 1))} code />
			<Checked lines={lines} problemOf={problemOf} allRight={allRight} />
		</div>
	);
}

interface CheckedProps extends Pick<LinesFieldProps, "problemOf" | "allRight"> {
	readonly lines: readonly string[];
}

function Checked({ lines, problemOf, allRight }: CheckedProps) {
	const t = useWords("console-access").applications;
	const problems = lines.flatMap((line, index) => {
		const isRepeated = lines.indexOf(line) < index;
		const problem = isRepeated ? t.lineProblems.repeated : problemOf(line);
		return problem === undefined ? [] : [{ number: index + 1, line, problem }];
	});
	return (
		<div class="lk-lines__checked" role="status">
			{problems.length > 0 ? (
				<ul class="lk-lines__problems">
					{problems.map(({ number, line, problem }) => (
						<li key={number} class="lk-lines__problem">
							<Icon shape={danger} />
							<span>
								{t.line(number)} <code dir="ltr">{line}</code> {problem}
							</span>
						</li>
					))}
				</ul>
			) : (
				allRight !== undefined &&
				lines.length > 0 && (
					<span class="lk-lines__right">
						<Icon shape={success} />
						{allRight(lines.length)}
					</span>
				)
			)}
		</div>
	);
}
