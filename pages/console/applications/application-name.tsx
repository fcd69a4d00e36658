// The name of an application over what it is for.

import "./application-name.css";

export function ApplicationName({ name, detail }: { readonly name: string; readonly detail: string }) {
	return (
		<span class="lk-application-name">
			<bdi>{name}</bdi>
			{detail !== "" && <bdi class="lk-application-name__detail">{detail}</bdi>}
		</span>
	);
}
