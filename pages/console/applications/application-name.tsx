// The name of an application beside its logo, with its description below.

import { Avatar } from "../../ui/avatar.tsx";
import { uploadedImage } from "../../ui/branding.ts";
import "../../ui/application-logo.css";
import "./application-name.css";

interface ApplicationNameProps {
	readonly name: string;
	readonly detail: string;
	/** Shows the logo, or the initials if none was uploaded. */
	readonly logo?: { readonly url: string };
}

export function ApplicationName({ name, detail, logo }: ApplicationNameProps) {
	const image = uploadedImage(logo?.url);
	return (
		<span class="lk-application-name">
			{image !== undefined && <img class="lk-application-logo" src={image} alt="" loading="lazy" />}
			{image === undefined && logo !== undefined && <Avatar name={name} />}
			<span class="lk-application-name__text">
				<bdi>{name}</bdi>
				{detail !== "" && <bdi class="lk-application-name__detail">{detail}</bdi>}
			</span>
		</span>
	);
}
