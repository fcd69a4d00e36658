// Stacked bars over time.

import type { ComponentChildren } from "preact";
import { ChartFrame, type ChartProps, format, niceMaximum, toneOf } from "./chart.tsx";

const BAR_SHARE = 0.7;

export function BarChart(props: ChartProps) {
	const { labels, series } = props;
	const totals = labels.map((_, at) => series.reduce((sum, { values }) => sum + (values[at] ?? 0), 0));
	const maximum = niceMaximum(totals);
	const step = WIDTH / Math.max(1, labels.length);
	return (
		<ChartFrame chart={props}>
			<Plot chart={props} maximum={maximum}>
				{labels.map((label, at) => {
					let top = HEIGHT;
					return (
						<g key={label}>
							<title>{`${label}: ${format(totals[at] ?? 0)}`}</title>
							<rect class="lk-chart__hit" x={at * step} y="0" width={step} height={HEIGHT} />
							{series.map((one, index) => {
								const height = ((one.values[at] ?? 0) / maximum) * HEIGHT;
								top -= height;
								return (
									<rect
										key={one.key}
										class={`lk-chart__bar lk-chart--${toneOf(one, index)}`}
										x={at * step + (step * (1 - BAR_SHARE)) / 2}
										y={top}
										width={step * BAR_SHARE}
										height={height}
									/>
								);
							})}
						</g>
					);
				})}
			</Plot>
		</ChartFrame>
	);
}

/** The axes of a chart: lines with their values, and labels below. */
const WIDTH = 600;
const HEIGHT = 160;
const LABELS_MAX = 6;

/** `children` draw between 0 and `WIDTH`, 0 (top) and `HEIGHT`. */
function Plot({
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
					<span key={value}>{format(value)}</span>
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
