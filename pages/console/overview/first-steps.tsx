// What an administrator sets up first, each step with its tick and a link to where it is done.

import { useEffect, useState } from "preact/hooks";
import type { Schemas } from "../../api/routes.ts";
import { session } from "../../api/session.ts";
import { readStored, writeStored } from "../../stored.ts";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { Icon } from "../../ui/icon.tsx";
import { chevronForward, circle, success } from "../../ui/icons.ts";
import { announce } from "../../ui/status-line.tsx";
import { useWords, type WordsOf } from "../../words/words.ts";
import { isAdmin } from "../roles.ts";

type Steps = Schemas["FirstSteps"];
/** In this browser; null is open, and may be something else once the steps are known. */
type Shown = "folded" | "dismissed" | "done" | null;

const KEY = "latchkey.first-steps";

function readShown(): Shown {
	return readStored(keyOfTenant()) as Shown;
}

function writeShown(shown: Shown): void {
	writeStored(keyOfTenant(), shown);
}

function keyOfTenant(): string {
	return `${KEY}.${session.value.user?.tenant_id}`;
}

/** Whether the card may appear above the rest of the screen. */
export function mayShowSteps(): boolean {
	const shown = readShown();
	return isAdmin() && shown !== "dismissed" && shown !== "done";
}

interface Step {
	readonly text: string;
	readonly href: string;
	readonly isDone: boolean;
}

export function FirstSteps({ steps }: { readonly steps: Steps }) {
	const t = useWords("console").overview.firstSteps;
	const [shown, setShown] = useState(readShown);
	const show = (next: Shown) => {
		writeShown(next);
		setShown(next);
	};
	const dismiss = () => {
		show("dismissed");
		// The button disappears.
		document.querySelector<HTMLElement>("main h1")?.focus({ preventScroll: true });
		announce(t.dismissed, "info", () => show("folded"));
	};
	const listed = stepsOf(steps, t);
	const done = listed.filter(({ isDone }) => isDone).length;
	const isDone = done === listed.length;
	useEffect(() => {
		if (isDone) writeShown("done");
	}, [isDone]);
	if (shown === "dismissed" || isDone) return null;
	const isOpen = shown !== "folded";
	return (
		<Card
			title={t.title}
			description={t.progress(done, listed.length)}
			flush
			actions={
				<>
					{!isOpen && (
						<Button size="small" variant="quiet" onClick={dismiss}>
							{t.dismiss}
						</Button>
					)}
					<Button size="small" variant="quiet" onClick={() => show(isOpen ? "folded" : null)}>
						{isOpen ? t.fold : t.open}
					</Button>
				</>
			}
		>
			{isOpen ? (
				<ul class="lk-overview__steps">
					{listed.map(({ text, href, isDone: isTicked }) => (
						<li key={href}>
							<a
								class={isTicked ? "lk-overview__item lk-overview__item--done" : "lk-overview__item"}
								href={href}
							>
								<Icon shape={isTicked ? success : circle} />
								<span>
									{text}
									{isTicked && <span class="lk-hidden"> ({t.done})</span>}
								</span>
								{!isTicked && <Icon shape={chevronForward} mirrored />}
							</a>
						</li>
					))}
				</ul>
			) : undefined}
		</Card>
	);
}

/** Null is a step of another administrator. */
function stepsOf(steps: Steps, t: WordsOf<"console">["overview"]["firstSteps"]): readonly Step[] {
	const all = [
		{ text: t.colleague, href: "/console/people", isDone: steps.has_colleague },
		{ text: t.secondFactor, href: "/account/security", isDone: steps.has_second_factor },
		{ text: t.mailServer, href: "/console/installation", isDone: steps.has_mail_server },
		{ text: t.brand, href: "/console/branding", isDone: steps.has_brand },
		{ text: t.application, href: "/console/applications", isDone: steps.has_application },
		{ text: t.partner, href: "/console/requests", isDone: steps.has_decided },
	];
	return all.flatMap(({ isDone, ...step }) => (isDone === null ? [] : [{ ...step, isDone }]));
}
