// The steps from the request to the first call, with the current one.

import { Icon } from "../ui/icon.tsx";
import { check } from "../ui/icons.ts";
import { Link } from "../ui/link.tsx";
import { useWords } from "../words/words.ts";
import "./next-steps.css";

/** Steps before `current` (from 0) are done. */
export function NextSteps({ current }: { current: number }) {
	const t = useWords("portal");
	return (
		<aside class="next-steps" aria-labelledby="next-steps">
			<h2 id="next-steps" class="next-steps__title">
				{t.stepsTitle}
			</h2>
			<ol class="next-steps__list">
				{t.steps.map(({ title, text }, index) => (
					<li
						key={title}
						class={index < current ? "next-steps__step next-steps__step--done" : "next-steps__step"}
						aria-current={index === current ? "step" : undefined}
					>
						<span class="next-steps__mark" aria-hidden="true">
							{index < current ? <Icon shape={check} /> : index + 1}
						</span>
						<div>
							<strong>
								{title}
								{index < current && <span class="lk-hidden"> ({t.stepDone})</span>}
							</strong>
							<p>{text}</p>
						</div>
					</li>
				))}
			</ol>
			<p class="next-steps__more">
				<Link href="/docs/signing">{t.signingGuide}</Link>
			</p>
		</aside>
	);
}
