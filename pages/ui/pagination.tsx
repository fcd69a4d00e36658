// The range of a list, with buttons for the previous and next page.

import "./pagination.css";
import { Icon } from "./icon.tsx";
import { chevronForward } from "./icons.ts";
import { uiWords } from "./words.ts";

export interface PaginationProps {
	/** From 1. */
	readonly page: number;
	readonly pageSize: number;
	readonly total: number;
	/** Whether there are more rows than `total`. */
	readonly totalIsMinimum?: boolean | undefined;
	readonly onPage: (page: number) => void;
	/** Rows per page that the user can choose. */
	readonly sizes?: { readonly all: readonly number[]; set(size: number): void } | undefined;
}

/** A single page shows only its size. */
export function Pagination({
	page,
	pageSize,
	total,
	totalIsMinimum = false,
	onPage,
	sizes,
}: PaginationProps) {
	const pages = Math.max(1, Math.ceil(total / pageSize));
	const first = Math.min((page - 1) * pageSize + 1, total);
	const words = uiWords();
	return (
		<nav class="lk-pagination" aria-label={words.pages}>
			<span class="lk-pagination__range" role="status">
				{words.range(first, Math.min(page * pageSize, total), total, totalIsMinimum)}
			</span>
			{sizes !== undefined && total > Math.min(...sizes.all) && (
				<select
					class="lk-pagination__size"
					aria-label={words.rowsPerPage}
					value={pageSize}
					onChange={({ currentTarget }) => sizes.set(Number(currentTarget.value))}
				>
					{sizes.all.map((size) => (
						<option key={size} value={size}>
							{words.perPage(size)}
						</option>
					))}
				</select>
			)}
			{pages > 1 && (
				<span class="lk-pagination__steps">
					<Step label={words.previousPage} disabled={page <= 1} onClick={() => onPage(page - 1)} />
					<span class="lk-pagination__page">{words.pageOf(page, pages, totalIsMinimum)}</span>
					<Step label={words.nextPage} isForward disabled={page >= pages} onClick={() => onPage(page + 1)} />
				</span>
			)}
		</nav>
	);
}

interface StepProps {
	readonly label: string;
	readonly isForward?: boolean;
	readonly disabled: boolean;
	readonly onClick: () => void;
}

/** Stays focusable at the ends, so keyboard users do not lose their place. */
function Step({ label, isForward = false, disabled, onClick }: StepProps) {
	return (
		<button
			type="button"
			class={`lk-icon-button lk-pagination__step${isForward ? "" : " lk-pagination__step--back"}`}
			aria-label={label}
			title={label}
			aria-disabled={disabled ? "true" : undefined}
			onClick={() => (disabled ? undefined : onClick())}
		>
			<Icon shape={chevronForward} mirrored />
		</button>
	);
}
