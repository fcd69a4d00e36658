// A short list inside a card, such as devices or keys: icon, name, a second line, actions. Use `Table` for many records.

import type { ComponentChildren } from "preact";
import "./entry-list.css";
import { Icon } from "./icon.tsx";
import type { IconShape } from "./icons.ts";

export interface Entry {
	readonly key: string;
	readonly icon: IconShape;
	/** A picture instead of the icon. */
	readonly media?: ComponentChildren;
	/** Put text from users in `<bdi>`. */
	readonly title: ComponentChildren;
	/** Beside the title. */
	readonly badge?: ComponentChildren;
	readonly detail?: ComponentChildren;
	readonly actions?: ComponentChildren;
}

interface EntryListProps {
	/** What is listed. */
	readonly label: string;
	readonly entries: readonly Entry[];
	/** For content with its own margin, not at the border of a card. */
	readonly inset?: boolean | undefined;
}

export function EntryList({ label, entries, inset = false }: EntryListProps) {
	return (
		<ul class={inset ? "lk-entries lk-entries--inset" : "lk-entries"} aria-label={label}>
			{entries.map(({ key, icon, media, title, badge, detail, actions }) => (
				<li class="lk-entry" key={key}>
					<span class="lk-entry__icon">{media ?? <Icon shape={icon} />}</span>
					<div>
						<div class="lk-entry__title">
							<bdi>{title}</bdi>
							{badge}
						</div>
						{detail !== undefined && <div class="lk-entry__detail">{detail}</div>}
					</div>
					{actions !== undefined && <div class="lk-entry__actions">{actions}</div>}
				</li>
			))}
		</ul>
	);
}
