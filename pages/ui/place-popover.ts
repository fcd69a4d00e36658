// Places a popover next to its button, inside the window.

const GAP = 4;
const MARGIN = 8;

/** Below the button, or above it where there is more room; aligned with its end, or its start where that fits better. */
export function place(popover: HTMLElement, button: HTMLElement): void {
	const anchor = button.getBoundingClientRect();
	const { offsetWidth: width, offsetHeight: height } = popover;
	const { clientWidth, clientHeight } = document.documentElement;
	const isRightToLeft = getComputedStyle(button).direction === "rtl";
	const isAbove = anchor.bottom + GAP + height > clientHeight && anchor.top > clientHeight - anchor.bottom;
	const startAligned = isRightToLeft ? anchor.right - width : anchor.left;
	const endAligned = isRightToLeft ? anchor.left : anchor.right - width;
	const fits = endAligned >= MARGIN && endAligned + width <= clientWidth - MARGIN;
	const left = Math.min(fits ? endAligned : startAligned, clientWidth - width - MARGIN);
	popover.style.left = `${Math.max(MARGIN, left)}px`;
	popover.style.top = `${Math.max(MARGIN, isAbove ? anchor.top - height - GAP : anchor.bottom + GAP)}px`;
}
