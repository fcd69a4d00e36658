// The modifier of shortcuts that work while typing: ⌘ on Apple's systems, Ctrl elsewhere.

/** As shown to the user, such as `Ctrl+K`. */
export function commandKey(key: string): string {
	return /Mac|iP(?:hone|ad)/.test(navigator.userAgent) ? `⌘${key}` : `Ctrl+${key}`;
}

export function hasCommand(event: KeyboardEvent): boolean {
	return (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey;
}
