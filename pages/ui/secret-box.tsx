// Secrets that are shown once: to copy and to save as a file.

import type { ComponentChildren } from "preact";
import { Button } from "./button.tsx";
import { CopyField } from "./copy-field.tsx";
import { Icon } from "./icon.tsx";
import { download, warning } from "./icons.ts";
import "./secret-box.css";
import { uiWords } from "./words.ts";

export interface SecretBoxProps {
	/** Says that the secret is shown only once. */
	readonly warning: ComponentChildren;
	readonly secrets: readonly { readonly label: string; readonly value: string }[];
	/** The file to save, such as `.env`. */
	readonly file?: { readonly name: string; readonly content: string } | undefined;
	readonly actions?: ComponentChildren;
	/** With the label of the value. */
	readonly onCopied?: ((label: string) => void) | undefined;
	readonly onSaved?: (() => void) | undefined;
}

export function SecretBox(props: SecretBoxProps) {
	const { warning: text, secrets, file, actions, onCopied, onSaved } = props;
	return (
		<div class="lk-secret">
			<p class="lk-secret__warning">
				<Icon shape={warning} />
				<span>{text}</span>
			</p>
			{secrets.map(({ label, value }) => (
				<CopyField key={label} label={label} value={value} onCopied={() => onCopied?.(label)} />
			))}
			{(file !== undefined || actions !== undefined) && (
				<div class="lk-row">
					{file !== undefined && (
						<Button
							icon={download}
							onClick={() => {
								save(file);
								onSaved?.();
							}}
						>
							{uiWords().save}
						</Button>
					)}
					{actions}
				</div>
			)}
		</div>
	);
}

/** Without a request, so that the content never leaves the browser. */
export function save({ name, content }: { readonly name: string; readonly content: string | Blob }): void {
	const url = URL.createObjectURL(new Blob([content], { type: "text/plain" }));
	const link = document.createElement("a");
	link.href = url;
	link.download = name;
	link.click();
	URL.revokeObjectURL(url);
}
