// The username in a form without a field for it: password managers store what is typed under it.

export function KeptUsername({ username }: { username: string }) {
	return <input type="text" name="username" autocomplete="username" value={username} readOnly hidden />;
}
