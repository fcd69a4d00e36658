// The username in a form without a username field, for password managers.

export function HiddenUsername({ username }: { username: string }) {
	return <input type="text" name="username" autocomplete="username" value={username} readOnly hidden />;
}
