// A choice between options: buttons with a title, a sentence and an icon.

import { Icon } from "./icon.tsx";
import { chevronForward, type IconShape } from "./icons.ts";
import "./option-list.css";

export interface Way {
	readonly key: string;
	readonly icon: IconShape;
	readonly title: string;
	readonly text: string;
	readonly onSelect: () => void;
}

export function OptionList({ options }: { options: readonly Way[] }) {
	return (
		<ul class="lk-options">
			{options.map(({ key, icon, title, text, onSelect }) => (
				<li key={key}>
					<button type="button" class="lk-option" onClick={onSelect}>
						<Icon shape={icon} />
						<span class="lk-option__text">
							<span class="lk-option__title">{title}</span>
							<span class="lk-muted">{text}</span>
						</span>
						<Icon shape={chevronForward} mirrored />
					</button>
				</li>
			))}
		</ul>
	);
}
