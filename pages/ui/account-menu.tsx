// The account menu: account, theme, sign out.

import "./account-menu.css";
import { Avatar } from "./avatar.tsx";
import { Icon } from "./icon.tsx";
import { chevronDown } from "./icons.ts";
import { Menu, type MenuItem } from "./menu.tsx";

export interface AccountMenuProps {
	readonly name: string;
	/** Such as the email address or the tenant. */
	readonly detail?: string | undefined;
	readonly items: readonly MenuItem[];
	/** Names the button, before the name of the person: "Account". */
	readonly label: string;
}

export function AccountMenu({ name, detail, items, label }: AccountMenuProps) {
	return (
		<div class="lk-account">
			<Menu items={items} label={label} buttonClass="lk-account__button">
				<span class="lk-hidden">{label}:</span>
				<Avatar name={name} size="small" />
				<span class="lk-account__text">
					<bdi class="lk-account__name lk-one-line">{name}</bdi>
					{detail !== undefined && <bdi class="lk-account__detail lk-one-line">{detail}</bdi>}
				</span>
				<Icon shape={chevronDown} />
			</Menu>
		</div>
	);
}
