// `/account`: name, language, email address, and deletion of the account.

import { session } from "../api/session.ts";
import { Avatar } from "../ui/avatar.tsx";
import { PageHeader } from "../ui/page-header.tsx";
import { DeleteCard } from "./delete-card.tsx";
import { NamesCard } from "./names-card.tsx";
import { ownUser } from "./own-user.ts";
import { ProfileCard } from "./profile-card.tsx";

export function Profile() {
	// Redraws when the user changes.
	const { username, display_name } = session.value.user ?? ownUser();
	const name = display_name || username;
	return (
		<>
			<PageHeader
				media={<Avatar name={name} size="large" />}
				title={name}
				description={<bdi>{username}</bdi>}
			/>
			<div class="lk-stack">
				<ProfileCard />
				<NamesCard />
				<DeleteCard />
			</div>
		</>
	);
}
