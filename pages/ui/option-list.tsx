// A choice between options: buttons with a title, a sentence and an icon.

import { Icon } from "./icon.tsx";
import { chevronForward, type IconShape } from "./icons.ts";
import "./option-list.css";

export interface Way {
	readonly key: string;
	readonly icon: IconShape;
	/** One or two letters instead of the icon. */
	readonly mark?: string | undefined;
	readonly title: string;
	readonly text: string;
	readonly onSelect: () => void;
}

interface OptionListProps {
	readonly options: readonly Way[];
	/** In columns where there is room: short options of one kind. */
	readonly asTiles?: boolean;
}

export function OptionList({ options, asTiles = false }: OptionListProps) {
	return (
		<ul class={asTiles ? "lk-options lk-options--tiles" : "lk-options"}>
			{options.map(({ key, icon, mark, title, text, onSelect }) => (
				<li key={key}>
					<button type="button" class="lk-option" onClick={onSelect}>
						{mark === undefined ? (
							<Icon shape={icon} />
						) : (
							<span class="lk-option__mark" aria-hidden="true" translate={false}>
								{mark}
							</span>
						)}
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
