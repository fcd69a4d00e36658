// Before the claim: explains what the button does, and why it failed.

import type { ComponentChildren } from "preact";
import type { Action } from "../api/query.ts";
import { Button } from "../ui/button.tsx";
import { Card } from "../ui/card.tsx";
import { Form } from "../ui/form.tsx";
import { Icon } from "../ui/icon.tsx";
import { clock, type IconShape, key, lock } from "../ui/icons.ts";
import { Notice } from "../ui/notice.tsx";
import { useWords } from "../words/words.ts";
import type { useProof } from "./proof-choice.tsx";

/** What differs between the pages. */
export interface OfferWords {
	readonly safe: string;
	readonly claim: string;
	readonly gone: string;
	readonly noAnswer: string;
}

interface ClaimOfferProps {
	readonly words: OfferWords;
	readonly goneCode: string;
	readonly hasToken: boolean;
	readonly proof: Pick<ReturnType<typeof useProof>, "hasKey" | "isReady" | "errors">;
	readonly claiming: Action<[], void>;
	/** What the partner chooses. */
	readonly children: ComponentChildren;
}

export function ClaimOffer({ words, goneCode, hasToken, proof, claiming, children }: ClaimOfferProps) {
	const t = useWords("claim");
	const { error, isPending } = claiming;
	if (!hasToken)
		return (
			<Notice tone="danger" title={t.noTokenTitle}>
				{t.noToken}
			</Notice>
		);
	// A malformed token is treated like an unknown one.
	const isKeyRefused = error?.details.some(({ field }) => field === "public_key") ?? false;
	if (error?.code === goneCode || (error?.status === 400 && !isKeyRefused))
		return (
			<Notice tone="danger" title={t.goneTitle}>
				{words.gone}
			</Notice>
		);
	// The link stays valid after every other failure, except if the response was lost.
	const isLost = error?.status === 0;
	return (
		<Card>
			<ul class="claim-points">
				{proof.hasKey ? (
					<Point icon={key} title={t.keys.staysTitle} text={t.keys.stays} />
				) : (
					<Point icon={key} title={t.onceTitle} text={t.once} />
				)}
				<Point icon={lock} title={t.readyTitle} text={t.ready} />
				<Point icon={clock} title={t.safeTitle} text={words.safe} />
			</ul>
			<Form
				action={{ run: () => claiming.run(), isPending, error: isLost ? undefined : error }}
				errors={proof.errors}
			>
				{children}
				{isLost && <Notice tone="danger">{proof.hasKey ? t.keys.noAnswer : words.noAnswer}</Notice>}
				<div>
					<Button type="submit" variant="primary" pending={isPending} disabled={!proof.isReady}>
						{words.claim}
					</Button>
				</div>
			</Form>
		</Card>
	);
}

function Point({ icon, title, text }: { icon: IconShape; title: string; text: string }) {
	return (
		<li class="claim-point">
			<span class="claim-point__icon">
				<Icon shape={icon} />
			</span>
			<div>
				<strong>{title}</strong>
				<p class="lk-muted">{text}</p>
			</div>
		</li>
	);
}
