// Copies a text to the clipboard and confirms it.

import { useEffect, useState } from "preact/hooks";
import { Button } from "./button.tsx";
import { check, copy } from "./icons.ts";
import { announce } from "./status-line.tsx";
import { uiWords } from "./words.ts";

const SHOWN_MS = 2_000;

interface CopyButtonProps {
	readonly text: string;
	/** The label, if "Copy" is not clear enough. */
	readonly label?: string | undefined;
	/** What is copied, for screen readers, if several buttons have the same label. */
	readonly subject?: string | undefined;
	readonly variant?: "secondary" | "quiet" | "primary" | undefined;
	readonly onCopied?: (() => void) | undefined;
}

export function CopyButton(props: CopyButtonProps) {
	const { text, label = uiWords().copy, subject, variant = "secondary", onCopied } = props;
	const [isCopied, setCopied] = useState(false);
	useEffect(() => {
		if (!isCopied) return;
		const timer = setTimeout(() => setCopied(false), SHOWN_MS);
		return () => clearTimeout(timer);
	}, [isCopied]);
	const write = () => {
		navigator.clipboard.writeText(text).then(
			() => {
				setCopied(true);
				announce(uiWords().copied);
				onCopied?.();
			},
			() => announce(uiWords().copyFailed, "danger"),
		);
	};
	return (
		<Button size="small" variant={variant} icon={isCopied ? check : copy} onClick={write}>
			{label}
			{subject !== undefined && <span class="lk-hidden"> {subject}</span>}
		</Button>
	);
}
