// The result of a setting's parser.

/** The typed value, or the requirement, worded to follow `NAME must be `. */
export type Parsed<T> = { readonly value: T } | { readonly mustBe: string };
