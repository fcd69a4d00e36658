// What the OpenAPI document says about an endpoint with the formats of OAuth.

import type { ObjectSchema, Schema } from "./schema.ts";

export interface MountDescription {
	/** Unique among all operations. */
	readonly name: string;
	readonly summary: string;
	readonly description: string;
	/** Alternatives; empty: public. `none`: the form may contain the credentials. */
	readonly security: readonly ("oauthClient" | "oauthToken" | "none")[];
	/** In the query of a GET, in the form of a POST. */
	readonly parameters?: ObjectSchema<unknown>;
	readonly success: {
		readonly status: 200 | 201 | 303;
		readonly description: string;
		readonly schema?: Schema<unknown>;
	};
}

/** A row of the map; one without an operation is not part of the document. */
export interface DescribedMount {
	readonly method: string;
	readonly path: string;
	readonly operation?: MountDescription;
}
