// What the parts of a connected application are given.

import type { Schemas } from "../../api/routes.ts";

export interface ConnectedClientProps {
	readonly application: Schemas["Application"];
	readonly client: Schemas["OAuthClient"];
	readonly onChanged: () => void;
}

export interface ClientDialogProps extends ConnectedClientProps {
	readonly onClose: () => void;
}
