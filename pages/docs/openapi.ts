// The parts of an OpenAPI 3.1 document that the reference shows.

export interface Schema {
	readonly $ref?: string;
	readonly type?: string | readonly string[];
	readonly format?: string;
	readonly description?: string;
	readonly properties?: Readonly<Record<string, Schema>>;
	readonly required?: readonly string[];
	readonly items?: Schema;
	readonly oneOf?: readonly Schema[];
	readonly anyOf?: readonly Schema[];
	readonly enum?: readonly unknown[];
	readonly const?: unknown;
	readonly default?: unknown;
	readonly example?: unknown;
	readonly examples?: readonly unknown[];
	readonly pattern?: string;
	readonly minLength?: number;
	readonly maxLength?: number;
	readonly minItems?: number;
	readonly maxItems?: number;
	readonly minimum?: number;
	readonly maximum?: number;
}

export interface Parameter {
	readonly $ref?: string;
	readonly name: string;
	readonly in: "path" | "query" | "header" | "cookie";
	readonly required?: boolean;
	readonly description?: string;
	/** The fields of the schema are the parameters. */
	readonly explode?: boolean;
	readonly schema?: Schema;
}

export interface Content {
	readonly schema?: Schema;
	readonly examples?: Readonly<Record<string, { readonly value: unknown }>>;
}

/** A request body or a response. */
export interface Body {
	readonly $ref?: string;
	readonly description?: string;
	readonly content?: Readonly<Record<string, Content>>;
}

export interface DescribedOperation {
	readonly operationId?: string;
	readonly summary?: string;
	readonly description?: string;
	readonly deprecated?: boolean;
	readonly tags?: readonly string[];
	readonly security?: readonly Readonly<Record<string, unknown>>[];
	readonly parameters?: readonly Parameter[];
	readonly requestBody?: Body;
	readonly responses?: Readonly<Record<string, Body>>;
}

export interface OpenApi {
	readonly info?: { readonly version?: string; readonly description?: string };
	readonly servers?: readonly { readonly url: string }[];
	readonly tags?: readonly {
		readonly name: string;
		readonly description?: string;
		readonly externalDocs?: { readonly url: string };
	}[];
	readonly security?: DescribedOperation["security"];
	readonly paths?: Readonly<Record<string, Readonly<Record<string, DescribedOperation>>>>;
	readonly components?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}
