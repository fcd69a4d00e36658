// Props of a console screen.

export interface ScreenProps {
	/** Values of the path's `{id}` segments by name. */
	readonly params: Readonly<Record<string, string>>;
}
