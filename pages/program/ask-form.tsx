// Requests access for a program. The service reads the program's document only now.

import { useState } from "preact/hooks";
import { call } from "../api/client.ts";
import { PROGRAM_REASON_MAX } from "../api/limits.ts";
import { useAction } from "../api/query.ts";
import { useShownError } from "../sign-in/shown-error.ts";
import { Button } from "../ui/button.tsx";
import { Form } from "../ui/form.tsx";
import { TextArea } from "../ui/text-area.tsx";
import { useFields } from "../ui/use-fields.ts";
import { useWords } from "../words/words.ts";

const REASON_MIN = 10;

interface AskFormProps {
	readonly id: string;
	/** After a rejection. */
	readonly isAgain: boolean;
	readonly onAsked: () => void;
}

export function AskForm({ id, isAgain, onAsked }: AskFormProps) {
	const t = useWords("program");
	const { values, field } = useFields({ reason: "" });
	const [errors, setErrors] = useState<Record<string, string>>();
	const ask = useAction(async () => {
		const path = { asked_program_id: id };
		await call("POST /auth/programs/requests/{asked_program_id}/ask", {
			path,
			body: { reason: values.reason },
		});
		onAsked();
	});
	const error = useShownError(ask.error);
	const send = () => {
		const isShort = [...values.reason.trim()].length < REASON_MIN;
		ask.reset();
		setErrors(isShort ? { reason: t.reasonShort(REASON_MIN) } : undefined);
		return isShort ? undefined : ask.run();
	};
	return (
		<Form onSubmit={send} error={error} errors={errors} pending={ask.isPending}>
			<TextArea
				{...field("reason")}
				label={t.reason}
				hint={t.reasonHint}
				required
				limit={PROGRAM_REASON_MAX}
				rows={3}
			/>
			<Button type="submit" variant={isAgain ? "secondary" : "primary"} wide pending={ask.isPending}>
				{isAgain ? t.askAgain : t.ask}
			</Button>
		</Form>
	);
}
