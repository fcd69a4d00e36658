// What a screen of the console is given.

export interface ScreenProps {
	/** Values of the path's `{id}` segments by name. */
	readonly params: Readonly<Record<string, string>>;
}
