// What an administrator sets up first, each step with its tick and a link to where it is done.

import { useState } from "preact/hooks";
import type { Schemas } from "../../api/routes.ts";
import { session } from "../../api/session.ts";
import { readStored, writeStored } from "../../stored.ts";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { Icon } from "../../ui/icon.tsx";
import { chevronForward, circle, success } from "../../ui/icons.ts";
import { announce } from "../../ui/status-line.tsx";
import { useWords, type WordsOf } from "../../words/words.ts";

type Steps = Schemas["FirstSteps"];
/** In this browser; null until the user chooses. */
type Shown = "open" | "folded" | "dismissed" | null;

/** From this number on, the list is a ring until the user opens it. */
const FOLDED_MIN = 3;

function keyOfTenant(): string {
	return `latchkey.first-steps.${session.value.user?.tenant_id}`;
}

interface Step {
	readonly text: string;
	readonly href: string;
	readonly isDone: boolean;
}

export function FirstSteps({ steps }: { readonly steps: Steps }) {
	const t = useWords("console").overview.firstSteps;
	const [shown, setShown] = useState(() => readStored(keyOfTenant()) as Shown);
	const show = (next: Shown) => {
		writeStored(keyOfTenant(), next);
		setShown(next);
	};
	const dismiss = () => {
		show("dismissed");
		// The button disappears.
		document.querySelector<HTMLElement>("main h1")?.focus({ preventScroll: true });
		announce(t.dismissed, "info", () => show("folded"));
	};
	const fold = (label: string, next: Shown) => (
		<Button size="small" variant="quiet" onClick={() => show(next)}>
			{label}
		</Button>
	);
	const listed = stepsOf(steps, t);
	const done = listed.filter(({ isDone }) => isDone).length;
	const next = listed.find(({ isDone }) => !isDone);
	if (shown === "dismissed" || next === undefined) return null;
	const isOpen = shown === null ? done < FOLDED_MIN : shown === "open";
	return (
		<Card
			title={t.title}
			description={t.progress(done, listed.length)}
			flush={isOpen}
			actions={isOpen && fold(t.fold, "folded")}
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
			) : (
				<div class="lk-overview__next">
					<Ring done={done} total={listed.length} />
					<div>
						<a class="lk-link" href={next.href}>
							{next.text}
						</a>
						<div class="lk-row">
							{fold(t.open, "open")}
							<Button size="small" variant="quiet" onClick={dismiss}>
								{t.dismiss}
							</Button>
						</div>
					</div>
				</div>
			)}
		</Card>
	);
}

function Ring({ done, total }: { readonly done: number; readonly total: number }) {
	return (
		<svg class="lk-overview__ring" viewBox="0 0 40 40" aria-hidden="true">
			<circle cx="20" cy="20" r="17" />
			<circle cx="20" cy="20" r="17" pathLength={total} stroke-dasharray={`${done} ${total}`} />
			<text x="20" y="20">{`${done}/${total}`}</text>
		</svg>
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
