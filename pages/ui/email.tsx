// An email address that breaks before `@`, and inside its domain only if that is longer than a line may be.

import "./email.css";

/** In characters: fits on a phone. */
const WHOLE_MAX = 30;

export function Email({ address }: { readonly address: string }) {
	const at = address.lastIndexOf("@");
	const domain = address.slice(at);
	return (
		<bdi translate={false}>
			{address.slice(0, at)}
			<wbr />
			<span class={domain.length > WHOLE_MAX ? "" : "lk-email-domain"}>{domain}</span>
		</bdi>
	);
}
