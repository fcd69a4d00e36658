// A page with one button that spends the link's token: when it may be pressed, and what each refusal means.

import { locale, post, takeToken } from "./page.js";

const WORDS = {
	en: {
		noToken:
			"The address of this page is incomplete. Open the link from the mail again, or copy all of it into the address bar.",
		tooMany: (seconds) => `Too many requests from your network. Try again in ${seconds} seconds.`,
		unavailable: "The service cannot answer right now. Try again in a moment; the link stays good.",
		noAnswer: "No answer arrived. Check your connection and press the button again.",
	},
	"zh-CN": {
		noToken: "页面地址不完整。请重新打开邮件中的链接，或将完整链接复制到地址栏。",
		tooMany: (seconds) => `您所在网络的请求过于频繁，请在 ${seconds} 秒后重试。`,
		unavailable: "服务暂时无法响应，请稍后重试；链接仍然有效。",
		noAnswer: "未收到服务的响应。请检查网络后再次点击按钮。",
	},
}[locale];

/**
 * Lets the page's `#press` button post the token to `path`. `words` has `working` for the time between, `gone` for a
 * token that is refused, and perhaps `noAnswer`. `onAnswer(answer)` gives the text of a problem, or nothing when all
 * went well. What might work a second time leaves the button there; what cannot takes it away.
 *
 * A page with `fields` sends more than the token: `read()` gives `{ content }`, or `{ problem }` when there is no need to
 * ask; `mark(isWrong)` shows it at the fields. `words.problems` names what the service may refuse, by error code.
 */
export function offerPress(path, words, onAnswer, fields) {
	const token = takeToken();
	const button = document.querySelector("#press");
	if (token === "") return endWith(WORDS.noToken);
	const label = button.textContent;
	button.disabled = false;
	button.addEventListener("click", async () => {
		document.querySelector("#problem").hidden = true;
		fields?.mark(false);
		const { content, problem } = fields?.read() ?? {};
		if (problem !== undefined) return refuse(problem, fields);
		button.disabled = true;
		button.textContent = words.working;
		const answer = await post(path, { token, ...content });
		button.textContent = label;
		button.disabled = false;
		const refused = answer.status === 400 ? words.problems?.[answer.body?.code] : undefined;
		if (refused !== undefined) return refuse(refused, fields);
		const passing = passingProblem(answer, words);
		if (passing !== undefined) {
			explain(passing);
			return button.focus();
		}
		const final = answer.status >= 400 ? words.gone : onAnswer(answer);
		if (final !== undefined) endWith(final);
	});
}

function passingProblem({ status, retryAfterSeconds }, words) {
	if (status === 0) return words.noAnswer ?? WORDS.noAnswer;
	if (status === 429) return WORDS.tooMany(retryAfterSeconds);
	if (status >= 500) return WORDS.unavailable;
	return undefined;
}

/** Something else has to be typed; the link stays good. */
function refuse(problem, fields) {
	explain(problem);
	fields.mark(true);
}

/** Nothing more can be done here: what the page offered goes, the reason stays. */
function endWith(text) {
	document.querySelector("#offer").hidden = true;
	document.querySelector("#press").parentElement.hidden = true;
	explain(text);
}

function explain(text) {
	const problem = document.querySelector("#problem");
	problem.textContent = text;
	problem.hidden = false;
}
