// The logo of the application that a page is about, before a sentence that names it.

import type { ComponentChildren } from "preact";
import { uploadedImage } from "../ui/branding.ts";
import "./application-lead.css";

interface ApplicationLeadProps {
	readonly logoUrl: string;
	readonly children: ComponentChildren;
}

export function ApplicationLead({ logoUrl, children }: ApplicationLeadProps) {
	const logo = uploadedImage(logoUrl);
	return (
		<span class="application-lead">
			{/* Decorative: the sentence names the application. */}
			{logo !== undefined && <img src={logo} alt="" />}
			<bdi>{children}</bdi>
		</span>
	);
}
