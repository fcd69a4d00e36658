// How the YAML of a record changes.

interface Line {
	readonly sign: " " | "+" | "-";
	readonly text: string;
}

/** The lines that differ, as in a patch, under the keys that contain them; `""` if none does. */
export function yamlDifference(before: string, after: string): string {
	const lines = compared(linesOf(before), linesOf(after));
	const shown = new Set<number>();
	for (const [at, { sign }] of lines.entries()) {
		if (sign === " ") continue;
		let depth = Number.POSITIVE_INFINITY;
		for (let above = at; above >= 0 && depth > 0; above--) {
			const indent = indentOf(lines[above]?.text ?? "");
			if (above !== at && (indent >= depth || lines[above]?.sign !== " ")) continue;
			shown.add(above);
			depth = indent;
		}
	}
	return lines
		.filter((_, at) => shown.has(at))
		.map(({ sign, text }) => `${sign} ${text}`)
		.join("\n");
}

function linesOf(yaml: string): string[] {
	return yaml === "" ? [] : yaml.replace(/\n$/, "").split("\n");
}

function indentOf(line: string): number {
	return line.length - line.trimStart().length;
}

/** By their longest common subsequence. */
function compared(before: readonly string[], after: readonly string[]): Line[] {
	const width = after.length + 1;
	const common = new Uint32Array((before.length + 1) * width);
	const at = (i: number, j: number): number => common[i * width + j] ?? 0;
	for (let i = before.length - 1; i >= 0; i--)
		for (let j = after.length - 1; j >= 0; j--)
			common[i * width + j] =
				before[i] === after[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
	const lines: Line[] = [];
	for (let i = 0, j = 0; i < before.length || j < after.length; ) {
		if (i < before.length && j < after.length && before[i] === after[j]) {
			lines.push({ sign: " ", text: before[i++] as string });
			j++;
		} else if (j === after.length || (i < before.length && at(i + 1, j) >= at(i, j + 1)))
			lines.push({ sign: "-", text: before[i++] as string });
		else lines.push({ sign: "+", text: after[j++] as string });
	}
	return lines;
}
