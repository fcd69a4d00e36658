// Before the claim: explains what the button does, and why it failed.

import type { ApiError } from "../api/error.ts";
import { Button } from "../ui/button.tsx";
import { Card } from "../ui/card.tsx";
import { ErrorText } from "../ui/error-text.tsx";
import { Icon } from "../ui/icon.tsx";
import { clock, type IconShape, key, lock } from "../ui/icons.ts";
import { Notice } from "../ui/notice.tsx";
import { RetryNotice } from "../ui/retry-notice.tsx";
import { useWords } from "../words/words.ts";

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
	readonly error: ApiError | undefined;
	readonly isPending: boolean;
	readonly onClaim: () => void;
}

export function ClaimOffer({ words, goneCode, hasToken, error, isPending, onClaim }: ClaimOfferProps) {
	const t = useWords("claim");
	if (!hasToken)
		return (
			<Notice tone="danger" title={t.noTokenTitle}>
				{t.noToken}
			</Notice>
		);
	// A malformed token is treated like an unknown one.
	if (error?.code === goneCode || error?.status === 400)
		return (
			<Notice tone="danger" title={t.goneTitle}>
				{words.gone}
			</Notice>
		);
	return (
		<Card>
			<ul class="claim-points">
				<Point icon={key} title={t.onceTitle} text={t.once} />
				<Point icon={lock} title={t.readyTitle} text={t.ready} />
				<Point icon={clock} title={t.safeTitle} text={words.safe} />
			</ul>
			{error !== undefined && (
				<Problem error={error} noAnswer={words.noAnswer} isPending={isPending} onRetry={onClaim} />
			)}
			<div>
				<Button variant="primary" pending={isPending} onClick={onClaim}>
					{words.claim}
				</Button>
			</div>
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
				<p>{text}</p>
			</div>
		</li>
	);
}

interface ProblemProps {
	readonly error: ApiError;
	readonly noAnswer: string;
	readonly isPending: boolean;
	readonly onRetry: () => void;
}

/** Failures that can be retried; the link stays valid. */
function Problem({ error, noAnswer, isPending, onRetry }: ProblemProps) {
	if (error.retryAfterSeconds !== undefined)
		return (
			<RetryNotice error={error} seconds={error.retryAfterSeconds} onRetry={onRetry} pending={isPending} />
		);
	return <Notice tone="danger">{error.status === 0 ? noAnswer : <ErrorText error={error} />}</Notice>;
}
