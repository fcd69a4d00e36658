// The method of an endpoint, in its color.

import "./method.css";

export function Method({ method }: { readonly method: string }) {
	return <span class={`docs-method docs-method--${method.toLowerCase()}`}>{method}</span>;
}
