// The user whose account is shown.

import { session, type User } from "../api/session.ts";

export function ownUser(): User {
	const { user } = session.value;
	if (user === undefined) throw new Error("the account is shown to a signed-in user only");
	return user;
}

/** Updates every component that shows the user. */
export function updateUser(user: User): void {
	session.value = { ...session.value, user };
}
