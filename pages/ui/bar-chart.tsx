// Stacked bars over time.

import { ChartFrame, type ChartProps, format, niceMaximum, toneOf } from "./chart.tsx";
import { HEIGHT, Plot, WIDTH } from "./chart-plot.tsx";

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
							<title>{`${label}: ${format(props, totals[at] ?? 0)}`}</title>
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
