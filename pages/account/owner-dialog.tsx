// Asks for the password before a change. Stays open if the password is wrong.

import { signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { useAction } from "../api/query.ts";
import { FormDialog } from "../ui/form-dialog.tsx";
import { useFields } from "../ui/use-fields.ts";
import { OwnerPassword } from "./owner-password.tsx";

interface Question<Result> {
	readonly title: string;
	/** What will happen. */
	readonly text: ComponentChildren;
	readonly submitLabel: string;
	readonly tone?: "danger";
	/** The name that must be typed. */
	readonly typeToConfirm?: string;
	/** `proof` is empty if the account has no password. Failures are shown in the dialog. */
	readonly act: (proof: { readonly password?: string }) => Promise<Result>;
}

interface Asked extends Question<unknown> {
	readonly settle: (done: { readonly value: unknown } | undefined) => void;
}

const asked = signal<Asked | undefined>(undefined);

/** Asks for the password and runs `act`. Resolves when the dialog closes; undefined if it was canceled. */
export function proveOwner<Result>(
	question: Question<Result>,
): Promise<{ readonly value: Result } | undefined> {
	return new Promise((resolve) => {
		asked.value = { ...question, settle: (done) => resolve(done as { readonly value: Result } | undefined) };
	});
}

/** Mounted once, in the frame. */
export function OwnerDialog() {
	const question = asked.value;
	return question === undefined ? null : <OpenDialog question={question} />;
}

function OpenDialog({ question }: { readonly question: Asked }) {
	const { act, settle, ...dialog } = question;
	const { values, field } = useFields({ password: "" });
	const done = useRef<{ readonly value: unknown }>();
	const close = () => {
		asked.value = undefined;
	};
	const confirm = useAction(async () => {
		done.current = { value: await act(values.password === "" ? {} : { password: values.password }) };
		close();
	});
	// Settle after the focus has returned to the opener.
	useEffect(() => () => settle(done.current), []);
	return (
		<FormDialog {...dialog} size="small" onClose={close} action={confirm}>
			<OwnerPassword {...field("password")} takesFocus={dialog.typeToConfirm === undefined} />
		</FormDialog>
	);
}
