// The buttons at the end of a form.

import type { ComponentChildren } from "preact";
import "./form.css";

export function FormActions({ children }: { children: ComponentChildren }) {
	return <div class="lk-form__actions">{children}</div>;
}
