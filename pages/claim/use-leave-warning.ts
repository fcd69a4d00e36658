// Makes the browser warn before leaving while something would be lost.

import { useEffect } from "preact/hooks";

export function useLeaveWarning(isActive: boolean): void {
	useEffect(() => {
		if (!isActive) return;
		const holdBack = (event: Event) => event.preventDefault();
		addEventListener("beforeunload", holdBack);
		return () => removeEventListener("beforeunload", holdBack);
	}, [isActive]);
}
