// A person in a list: initials, name, and a second line.

import { Avatar } from "./avatar.tsx";
import "./identity.css";

export function Identity({ name, detail }: { name: string; detail?: string | undefined }) {
	return (
		<span class="lk-identity">
			<Avatar name={name} size={detail === undefined ? "small" : "medium"} />
			<span class="lk-identity__text">
				<bdi>{name}</bdi>
				{detail !== undefined && <bdi class="lk-identity__detail">{detail}</bdi>}
			</span>
		</span>
	);
}
