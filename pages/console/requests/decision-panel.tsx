// The lower edge of the open request: the two decisions, or the form of the chosen one with its buttons always in sight.

import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import type { Action } from "../../api/query.ts";
import { Button } from "../../ui/button.tsx";
import { commandKey, hasCommand } from "../../ui/command-key.ts";
import { Form } from "../../ui/form.tsx";
import { check } from "../../ui/icons.ts";
import { useUniqueId } from "../../ui/unique-id.ts";
import { uiWords } from "../../ui/words.ts";
import { useWords } from "../../words/words.ts";
import "./decision-panel.css";
import { setDecision } from "./drafts.ts";

export function DecisionChoice({ id }: { readonly id: string }) {
	const t = useWords("console-partners").requests;
	return (
		<section class="lk-decision" aria-label={t.decision}>
			<div class="lk-decision__actions">
				<Button variant="primary" icon={check} onClick={() => setDecision(id, "approve")}>
					{t.approve}
				</Button>
				<Button onClick={() => setDecision(id, "reject")}>{t.reject}</Button>
			</div>
		</section>
	);
}

interface DecisionPanelProps {
	readonly id: string;
	readonly title: string;
	/** What the decision does. */
	readonly text: string;
	readonly action: Action<[], void>;
	readonly submitLabel: string;
	readonly isDanger?: boolean | undefined;
	readonly children: ComponentChildren;
}

/** Opens with the focus on the submit button. Ctrl+Enter or ⌘+Enter submits, Escape closes; what was typed is kept. */
export function DecisionPanel(props: DecisionPanelProps) {
	const { id, title, text, action, submitLabel, isDanger = false, children } = props;
	const t = useWords("console-partners").requests;
	const formId = useUniqueId();
	const panel = useRef<HTMLElement>(null);
	useLayoutEffect(() => panel.current?.querySelector<HTMLElement>("[type=submit]")?.focus(), []);
	const onKeyDown = (event: KeyboardEvent) => {
		if (event.key === "Enter" && hasCommand(event)) {
			event.preventDefault();
			panel.current?.querySelector("form")?.requestSubmit();
		} else if (event.key === "Escape") {
			// The selection of the list stays.
			event.preventDefault();
			setDecision(id, undefined);
		}
	};
	return (
		<section ref={panel} class="lk-decision lk-decision--open" aria-label={title} onKeyDown={onKeyDown}>
			<div class="lk-decision__form">
				<Form id={formId} action={action}>
					<p class="lk-decision__text">{text}</p>
					{children}
				</Form>
			</div>
			<div class="lk-decision__actions">
				<Button
					type="submit"
					form={formId}
					variant={isDanger ? "danger" : "primary"}
					pending={action.isPending}
				>
					{submitLabel}
				</Button>
				<Button onClick={() => setDecision(id, undefined)}>{uiWords().cancel}</Button>
				<span class="lk-decision__keys">{t.keys.send(commandKey("Enter"))}</span>
			</div>
		</section>
	);
}
