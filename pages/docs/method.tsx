// The method of an endpoint, in the colour of what it does.

import "./method.css";

export function Method({ method }: { readonly method: string }) {
	return <span class={`docs-method docs-method--${method.toLowerCase()}`}>{method}</span>;
}
