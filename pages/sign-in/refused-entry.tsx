// The user is signed in but cannot access the application, or not with this session.

import type { FormError } from "../ui/form.tsx";
import { Notice } from "../ui/notice.tsx";
import { useWords } from "../words/words.ts";
import { BackToApplication } from "./back-to-application.tsx";
import { type FrameProps, PageFrame } from "./frame.tsx";
import { SignInAgain } from "./sign-in-again.tsx";
import { StepUp } from "./step-up.tsx";

export interface RefusedEntryProps {
	readonly frame: Omit<FrameProps, "children">;
	readonly error: FormError;
	readonly application: { readonly id: string; readonly name: string };
	/** If the application uses OpenID Connect. */
	readonly interaction: string | undefined;
	/** Tries again. */
	readonly onRetry: () => unknown;
}

export function RefusedEntry({ frame, error, application, interaction, onRetry }: RefusedEntryProps) {
	const t = useWords("sign-in-steps");
	if (error.code === "mfa.required")
		return (
			<StepUp
				frame={frame}
				reason={error.message}
				destination={interaction === undefined ? { app_id: application.id } : { interaction_id: interaction }}
				onRetry={onRetry}
			/>
		);
	if (error.code === "interaction.not_found")
		return (
			<PageFrame {...frame}>
				<Notice tone="danger">{error.message}</Notice>
			</PageFrame>
		);
	return (
		<PageFrame {...frame}>
			<Notice tone="warning">{error.message}</Notice>
			<SignInAgain label={t.otherAccount} />
			{interaction !== undefined && <BackToApplication interaction={interaction} name={application.name} />}
		</PageFrame>
	);
}
