// A value to copy: an identifier, a URL.

import { CopyButton } from "./copy-button.tsx";
import "./copy-field.css";

interface CopyFieldProps {
	readonly label: string;
	readonly value: string;
	/** The label is for screen readers only. */
	readonly hideLabel?: boolean | undefined;
	readonly onCopied?: (() => void) | undefined;
}

export function CopyField({ label, value, hideLabel = false, onCopied }: CopyFieldProps) {
	return (
		<div class="lk-copy">
			<span class={hideLabel ? "lk-hidden" : "lk-copy__label"}>{label}</span>
			<div class="lk-copy__line">
				<code class="lk-copy__value" dir="ltr">
					{value}
				</code>
				<CopyButton text={value} subject={label} onCopied={onCopied} />
			</div>
		</div>
	);
}
