// One number with its recent trend.

import type { ComponentChildren } from "preact";
import "./stat-tile.css";

interface StatTileProps {
	readonly label: string;
	/** Undefined while it loads, or if that failed. */
	readonly value: string | undefined;
	readonly hasFailed?: boolean | undefined;
	/** How the number compares. */
	readonly detail?: ComponentChildren;
	/** Drawn as a line; charts have the numbers. */
	readonly course?: readonly number[] | undefined;
	/** The list of what is counted; the whole tile opens it. */
	readonly href?: string | undefined;
}

export function StatTile({ label, value, hasFailed = false, detail, course, href }: StatTileProps) {
	const text = value ?? (hasFailed ? "–" : "\u00a0");
	return (
		<div class="lk-stat" aria-busy={value === undefined && !hasFailed ? "true" : undefined}>
			<span class="lk-stat__label">{label}</span>
			{href === undefined ? (
				<b class="lk-stat__value">{text}</b>
			) : (
				<a class="lk-stat__value" href={href} aria-label={value === undefined ? label : `${label}: ${value}`}>
					{text}
				</a>
			)}
			<span class="lk-stat__detail">{detail}</span>
			<Course values={course ?? []} />
		</div>
	);
}

const WIDTH = 100;
const HEIGHT = 32;

/** A line without axes. */
export function Course({ values }: { readonly values: readonly number[] }) {
	const top = Math.max(1, ...values);
	const points = values.map(
		(value, at) => `${(at / Math.max(1, values.length - 1)) * WIDTH},${HEIGHT - (value / top) * HEIGHT}`,
	);
	return (
		<svg
			class="lk-stat__course"
			aria-hidden="true"
			viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
			preserveAspectRatio="none"
		>
			{points.length > 1 && <polyline points={points.join(" ")} />}
		</svg>
	);
}
