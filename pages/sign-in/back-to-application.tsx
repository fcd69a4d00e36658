// Returns to the requesting application without signing in.

import { useAction } from "../api/query.ts";
import { Button } from "../ui/button.tsx";
import { useWords } from "../words/words.ts";
import { completeInteraction } from "./interaction.ts";

export function BackToApplication({ interaction, name }: { interaction: string; name: string }) {
	const t = useWords("sign-in");
	const deny = useAction(async () => location.replace(await completeInteraction(interaction, "deny")));
	return (
		<Button variant="quiet" wide pending={deny.isPending} onClick={deny.run}>
			<bdi>{t.backTo(name)}</bdi>
		</Button>
	);
}
