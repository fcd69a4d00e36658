// Selects the language; each is shown by its own name.

import "./language-switch.css";
import { Icon } from "./icon.tsx";
import { chevronDown, globe } from "./icons.ts";
import { uiWords } from "./words.ts";

export interface LanguageSwitchProps {
	/** BCP 47. */
	readonly current: string;
	readonly options: readonly { readonly tag: string; readonly label: string }[];
	readonly onChange: (tag: string) => void;
}

export function LanguageSwitch({ current, options, onChange }: LanguageSwitchProps) {
	return (
		<label class="lk-language">
			<Icon shape={globe} />
			<span class="lk-hidden">{uiWords().language}</span>
			<select value={current} onChange={(event) => onChange(event.currentTarget.value)}>
				{options.map(({ tag, label }) => (
					<option key={tag} value={tag} lang={tag}>
						{label}
					</option>
				))}
			</select>
			<Icon shape={chevronDown} />
		</label>
	);
}
