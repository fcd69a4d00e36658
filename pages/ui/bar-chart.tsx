// Stacked bars over time.

import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { ChartFrame, type ChartProps, EmptyChart, format, niceMaximum, toneOf } from "./chart.tsx";
import { uiWords } from "./words.ts";

const BAR_SHARE = 0.7;

export interface BarChartProps extends ChartProps {
	/** Low, above a list. */
	readonly isStrip?: boolean | undefined;
	/** The position of a bar that the user clicks, or reads while pressing Enter. */
	readonly onChoose?: ((at: number) => void) | undefined;
	/** The other bars are muted. */
	readonly isChosen?: ((at: number) => boolean) | undefined;
}

export function BarChart(props: BarChartProps) {
	const { labels, series, isStrip = false, onChoose, isChosen = () => true } = props;
	const totals = labels.map((_, at) => series.reduce((sum, { values }) => sum + (values[at] ?? 0), 0));
	const maximum = niceMaximum(totals);
	const step = WIDTH / Math.max(1, labels.length);
	const [at, setAt] = useState<number>();
	if (totals.every((total) => total === 0)) return <EmptyChart chart={props} />;
	return (
		<ChartFrame chart={props} at={at} isStrip={isStrip}>
			<Plot chart={props} maximum={maximum} at={at} onAt={setAt} onChoose={onChoose}>
				{labels.map((label, index) => {
					let top = HEIGHT;
					return (
						// biome-ignore lint/a11y/noStaticElementInteractions: the plot handles the keys
						<g
							key={label}
							class={onChoose && "lk-chart__choice"}
							onPointerEnter={() => setAt(index)}
							onClick={() => onChoose?.(index)}
						>
							<rect
								class={index === at ? "lk-chart__hit lk-chart__hit--read" : "lk-chart__hit"}
								x={index * step}
								y="0"
								width={step}
								height={HEIGHT}
							/>
							{series.map((one, position) => {
								const height = ((one.values[index] ?? 0) / maximum) * HEIGHT;
								top -= height;
								return (
									<rect
										key={one.key}
										class={`lk-chart__bar lk-chart--${isChosen(index) ? toneOf(one, position) : "neutral"}`}
										x={index * step + (step * (1 - BAR_SHARE)) / 2}
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

/** Below the middle of their bars; the policy refuses `style` attributes, not properties. */
function placeLabels(element: HTMLElement | null, count: number): void {
	for (const label of element?.querySelectorAll<HTMLElement>("[data-at]") ?? [])
		label.style.insetInlineStart = `${((Number(label.dataset.at) + 0.5) / count) * 100}%`;
}

/** The axes of a chart: lines with their values, and labels below. */
const WIDTH = 600;
const HEIGHT = 160;
const LABELS_MAX = 6;

/** `children` draw between 0 and `WIDTH`, 0 (top) and `HEIGHT`. */
function Plot({
	chart,
	maximum,
	at,
	onAt,
	onChoose,
	children,
}: {
	chart: ChartProps;
	maximum: number;
	/** The position that is read out. */
	at: number | undefined;
	onAt: (at: number | undefined) => void;
	onChoose: BarChartProps["onChoose"];
	children: ComponentChildren;
}) {
	const last = chart.labels.length - 1;
	const every = Math.max(1, Math.ceil(chart.labels.length / LABELS_MAX));
	const onKeyDown = (event: KeyboardEvent) => {
		if (event.key === "Enter" && at !== undefined) onChoose?.(at);
		const to = { ArrowLeft: (at ?? last + 1) - 1, ArrowRight: (at ?? -1) + 1, Home: 0, End: last }[event.key];
		if (to === undefined) return;
		event.preventDefault();
		onAt(Math.min(last, Math.max(0, to)));
	};
	return (
		// biome-ignore lint/a11y/useSemanticElements: a fieldset is for controls
		<div
			class="lk-chart__plot"
			role="group"
			aria-label={(onChoose === undefined ? uiWords().readChart : uiWords().chooseInChart)(chart.title)}
			// biome-ignore lint/a11y/noNoninteractiveTabindex: the arrow keys read the values
			tabIndex={0}
			onKeyDown={onKeyDown}
			onBlur={() => onAt(undefined)}
			onPointerLeave={() => onAt(undefined)}
		>
			<div class="lk-chart__axis" aria-hidden="true">
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
			<div
				class="lk-chart__labels"
				aria-hidden="true"
				ref={(element) => placeLabels(element, chart.labels.length)}
			>
				{chart.labels.map((label, at) =>
					// The last one is today.
					(chart.labels.length - 1 - at) % every === 0 ? (
						<span key={label} data-at={at}>
							{label}
						</span>
					) : null,
				)}
			</div>
		</div>
	);
}
