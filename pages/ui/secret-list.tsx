// Secrets of one kind that are shown once, such as recovery codes: to copy and to save together.

import type { ComponentChildren } from "preact";
import { Button } from "./button.tsx";
import { CopyButton } from "./copy-button.tsx";
import { Icon } from "./icon.tsx";
import { download, warning } from "./icons.ts";
import { save } from "./secret-box.tsx";
import "./secret-list.css";
import { uiWords } from "./words.ts";

interface SecretListProps {
	/** For screen readers. */
	readonly label: string;
	/** Says that the secrets are shown only once. */
	readonly warning: ComponentChildren;
	readonly secrets: readonly string[];
	readonly fileName: string;
	/** First line of the file: what the secrets are for. */
	readonly fileTitle: string;
}

export function SecretList({ label, warning: text, secrets, fileName, fileTitle }: SecretListProps) {
	const lines = secrets.join("\n");
	const file = { name: fileName, content: `${fileTitle}\n\n${lines}\n` };
	return (
		<div class="lk-secret">
			<p class="lk-secret__warning">
				<Icon shape={warning} />
				<span>{text}</span>
			</p>
			<ul class="lk-secret-list" aria-label={label}>
				{secrets.map((secret) => (
					<li key={secret}>
						<code dir="ltr">{secret}</code>
					</li>
				))}
			</ul>
			<div class="lk-row">
				<CopyButton text={lines} />
				<Button size="small" icon={download} onClick={() => save(file)}>
					{uiWords().save}
				</Button>
			</div>
		</div>
	);
}
