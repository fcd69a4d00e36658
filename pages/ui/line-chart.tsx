// Lines over time.

import { ChartFrame, type ChartProps, niceMaximum, toneOf } from "./chart.tsx";
import { HEIGHT, Plot, WIDTH } from "./chart-plot.tsx";

export function LineChart(props: ChartProps) {
	const { labels, series } = props;
	const maximum = niceMaximum(series.flatMap(({ values }) => values));
	const step = WIDTH / Math.max(1, labels.length - 1);
	return (
		<ChartFrame chart={props}>
			<Plot chart={props} maximum={maximum}>
				{series.map((one, index) => (
					<polyline
						key={one.key}
						class={`lk-chart__curve lk-chart--${toneOf(one, index)}`}
						points={one.values
							.map((value, at) => `${at * step},${HEIGHT - (value / maximum) * HEIGHT}`)
							.join(" ")}
					/>
				))}
			</Plot>
		</ChartFrame>
	);
}
