// The frame of a chart: title, color key, and the same numbers as a table.

import type { ComponentChildren } from "preact";
import { regionalTag } from "../region.ts";
import "./chart.css";
import { uiWords } from "./words.ts";

interface Series {
	readonly key: string;
	readonly label: string;
	/** Default: by position. */
	readonly tone?: "accent" | "success" | "warning" | "danger" | "neutral" | undefined;
	/** One number for each label of the chart. */
	readonly values: readonly number[];
}

export interface ChartProps {
	readonly title: string;
	/** For screen readers only: the title is beside the chart. */
	readonly hideTitle?: boolean | undefined;
	/** Of the horizontal axis, such as days. */
	readonly labels: readonly string[];
	readonly labelHeader: string;
	readonly series: readonly Series[];
}

const TONES = ["accent", "warning", "success", "danger", "neutral"] as const;

export function toneOf(series: Series, index: number): string {
	return series.tone ?? TONES[index % TONES.length] ?? "accent";
}

/** Axis maximums, to be multiplied by a power of ten. */
const TOPS = [1, 1.2, 1.6, 2, 3, 4, 5, 6, 8, 10];

/** The maximum of the axis for counts: slightly above the largest count, and even, so that the middle is a whole number. */
export function niceMaximum(values: readonly number[]): number {
	const maximum = Math.max(2, ...values);
	const power = 10 ** Math.floor(Math.log10(maximum));
	const top = TOPS.map((step) => Math.round(step * power)).find((one) => one >= maximum && one % 2 === 0);
	return top ?? 10 * power;
}

export function format(value: number): string {
	return new Intl.NumberFormat(regionalTag(document.documentElement.lang || "en")).format(value);
}

/** Instead of a chart without any value. */
export function EmptyChart({ chart: { title, hideTitle = false } }: { readonly chart: ChartProps }) {
	return (
		<figure class="lk-chart">
			<figcaption class={hideTitle ? "lk-hidden" : "lk-chart__head lk-chart__title"}>{title}</figcaption>
			<p class="lk-muted">{uiWords().nothingCounted}</p>
		</figure>
	);
}

interface ChartFrameProps {
	readonly chart: ChartProps;
	/** The position whose values are shown above the chart. */
	readonly at?: number | undefined;
	readonly isStrip?: boolean | undefined;
	readonly children: ComponentChildren;
}

export function ChartFrame({ chart, at: read, isStrip = false, children }: ChartFrameProps) {
	const { title, hideTitle = false, labels, labelHeader, series } = chart;
	return (
		<figure class={isStrip ? "lk-chart lk-chart--strip" : "lk-chart"}>
			<figcaption class="lk-chart__head">
				<span class={hideTitle ? "lk-hidden" : "lk-chart__title"}>{title}</span>
				{series.length > 1 && (
					<span class="lk-chart__keys">
						{series.map((one, index) => (
							<span key={one.key} class={`lk-chart__key lk-chart--${toneOf(one, index)}`}>
								{one.label}
							</span>
						))}
					</span>
				)}
			</figcaption>
			<p class="lk-chart__read" role="status">
				{read !== undefined && (
					<>
						<b>{labels[read]}</b>{" "}
						{series.map(({ label, values }) => `${label} ${format(values[read] ?? 0)}`).join(" · ")}
					</>
				)}
			</p>
			{children}
			<details class="lk-chart__table">
				<summary>{uiWords().showAsTable}</summary>
				{/* biome-ignore lint/a11y/noNoninteractiveTabindex: the arrow keys scroll it */}
				{/* biome-ignore lint/a11y/useSemanticElements: a section would be a landmark of the page */}
				<div class="lk-chart__scroll" role="group" aria-label={title} tabIndex={0}>
					<table>
						<caption class="lk-hidden">{title}</caption>
						<thead>
							<tr>
								<th scope="col">{labelHeader}</th>
								{series.map(({ key, label }) => (
									<th key={key} scope="col">
										{label}
									</th>
								))}
							</tr>
						</thead>
						<tbody>
							{labels.map((label, at) => (
								<tr key={label}>
									<th scope="row">{label}</th>
									{series.map(({ key, values }) => (
										<td key={key}>{format(values[at] ?? 0)}</td>
									))}
								</tr>
							))}
						</tbody>
					</table>
				</div>
			</details>
		</figure>
	);
}
