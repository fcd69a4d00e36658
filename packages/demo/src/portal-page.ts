// The page of the application: the steps so far, and the buttons for what can follow.

export interface Step {
	readonly title: string;
	readonly why: string;
	/** A request with its status, or what the values are. */
	readonly sent: string;
	readonly values: Readonly<Record<string, unknown>>;
}

const STYLE = `
:root { color-scheme: light dark; font: 15px/1.5 system-ui, sans-serif }
body { max-width: 46rem; margin: 3rem auto; padding: 0 1rem }
h1 { font-size: 1.6rem; line-height: 1.25; margin: 0 0 0.25rem }
ol { padding: 0; list-style: none; counter-reset: step }
li { border: 1px solid light-dark(#e8eaee, #23282f); border-radius: 10px; padding: 1rem; margin: 0 0 0.75rem; counter-increment: step }
h2 { font-size: 1rem; margin: 0 }
h2::before { content: counter(step) ". " }
p { margin: 0.25rem 0; color: light-dark(#5b6472, #9aa4b2) }
code, dd { font: 13px/1.5 ui-monospace, monospace; overflow-wrap: anywhere }
dl { display: grid; grid-template-columns: 13.5rem 1fr; gap: 0.1rem 1rem; margin: 0.5rem 0 0 }
dt { color: light-dark(#5b6472, #9aa4b2) } dd { margin: 0 }
nav { position: sticky; bottom: 0; background: Canvas; padding: 0.75rem 0 0.25rem }
form { display: inline-block; margin: 0 0.5rem 0.5rem 0 }
button { font: inherit; padding: 0.4rem 0.9rem; border: 1px solid light-dark(#8b93a1, #343b45); border-radius: 6px; background: none; color: inherit; cursor: pointer }
button.first { background: #2456d6; border-color: #2456d6; color: #fff }
@media (max-width: 32rem) { dl { grid-template-columns: 1fr } }`;

/** @param calls requests that a signed-in user can send to the API */
export function page(steps: readonly Step[], isSignedIn: boolean, calls: readonly string[]): string {
	const buttons = isSignedIn
		? [
				...calls.map((call) => button(`/call?what=${encodeURIComponent(call)}`, call)),
				button("/sign-out", "Sign out"),
			]
		: [button("/sign-in", steps.length === 0 ? "Sign in" : "Sign in again", true)];
	return `<!doctype html>
<html lang="en">
<meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Demo application</title>
<style>${STYLE}</style>
<h1>${isSignedIn ? "You are signed in" : "An application with OpenID Connect"}</h1>
<p>Each step of the code flow appears here as it happens.</p>
<ol>${steps.map(stepHtml).join("")}</ol>
<nav>${buttons.join("")}${isSignedIn ? "<p>The buttons call an API behind a gate with your access token.</p>" : ""}</nav>
</html>`;
}

function stepHtml({ title, why, sent, values }: Step): string {
	const rows = Object.entries(values).map(
		([name, value]) =>
			`<dt>${escaped(name)}</dt><dd translate="no">${escaped(typeof value === "string" ? value : JSON.stringify(value))}</dd>`,
	);
	return `<li><h2>${escaped(title)}</h2><p>${escaped(why)}</p><code>${escaped(sent)}</code><dl>${rows.join("")}</dl></li>`;
}

function button(action: string, text: string, isFirst = false): string {
	return `<form method="post" action="${action}"><button${isFirst ? ' class="first"' : ""}>${escaped(text)}</button></form>`;
}

function escaped(text: string): string {
	return text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
