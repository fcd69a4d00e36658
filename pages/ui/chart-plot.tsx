// The axes of a chart: lines with their values, and labels below.

import type { ComponentChildren } from "preact";
import { type ChartProps, format } from "./chart.tsx";

export const WIDTH = 600;
export const HEIGHT = 160;
const LABELS_MAX = 6;

/** `children` draw between 0 and `WIDTH`, 0 (top) and `HEIGHT`. */
export function Plot({
	chart,
	maximum,
	children,
}: {
	chart: ChartProps;
	maximum: number;
	children: ComponentChildren;
}) {
	const every = Math.max(1, Math.ceil(chart.labels.length / LABELS_MAX));
	return (
		<div class="lk-chart__plot" aria-hidden="true">
			<div class="lk-chart__axis">
				{[maximum, maximum / 2, 0].map((value) => (
					<span key={value}>{format(chart, value)}</span>
				))}
			</div>
			<svg
				aria-hidden="true"
				class="lk-chart__drawing"
				viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
				preserveAspectRatio="none"
			>
				{[0, 0.5, 1].map((share) => (
					<line
						key={share}
						class="lk-chart__line"
						x1="0"
						x2={WIDTH}
						y1={share * HEIGHT}
						y2={share * HEIGHT}
					/>
				))}
				{children}
			</svg>
			<div class="lk-chart__labels">
				{chart.labels
					.filter((_, at) => at % every === 0)
					.map((label) => (
						<span key={label}>{label}</span>
					))}
			</div>
		</div>
	);
}
