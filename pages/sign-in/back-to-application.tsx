// Returns to the requesting application without signing in.

import { useAction } from "../api/query.ts";
import { Button } from "../ui/button.tsx";
import { completeInteraction } from "./interaction.ts";

interface BackToApplicationProps {
	readonly interaction: string;
	readonly label: string;
}

export function BackToApplication({ interaction, label }: BackToApplicationProps) {
	const deny = useAction(async () => location.replace(await completeInteraction(interaction, "deny")));
	return (
		<Button variant="quiet" wide pending={deny.isPending} onClick={deny.run}>
			<bdi>{label}</bdi>
		</Button>
	);
}
