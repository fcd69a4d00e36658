// The permissions of a role; the first few and a count of the others.

import { useState } from "preact/hooks";
import { useWords } from "../../words/words.ts";
import "./permissions.css";

const SHOWN_MAX = 8;

export function Permissions({ permissions }: { readonly permissions: readonly string[] }) {
	const t = useWords("console-access").applications;
	const [isOpen, setOpen] = useState(false);
	if (permissions.length === 0) return <span class="lk-muted">–</span>;
	const shown = isOpen ? permissions : permissions.slice(0, SHOWN_MAX);
	const more = permissions.length - shown.length;
	return (
		<span class="lk-permissions">
			{shown.map((permission) => (
				<code key={permission} class="lk-permissions__one">
					{permission}
				</code>
			))}
			{more > 0 && (
				<button type="button" class="lk-permissions__more" onClick={() => setOpen(true)}>
					{t.more(more)}
				</button>
			)}
		</span>
	);
}
