// A small picture of an actor or target: the initials of a person, otherwise a symbol of its kind.

import { Avatar } from "../../ui/avatar.tsx";
import { Icon } from "../../ui/icon.tsx";
import { application, type IconShape, key, person, robot, server } from "../../ui/icons.ts";
import { partsOf } from "./refs.ts";

const SHAPES: Readonly<Record<string, IconShape>> = {
	api_client: robot,
	application,
	key,
	cli: server,
	system: server,
	user: person,
	anonymous: person,
};

export function Actor({ of, name }: { readonly of: string; readonly name: string }) {
	const { noun } = partsOf(of);
	if (noun === "user" && name !== "") return <Avatar name={name} size="small" />;
	return (
		<span class="lk-avatar lk-avatar--small lk-avatar--kind" aria-hidden="true">
			<Icon shape={SHAPES[noun] ?? key} />
		</span>
	);
}
