// What every parser of a setting's text gives back.

/** The typed value, or what the text must be, worded to follow `NAME must be `. */
export type Parsed<T> = { readonly value: T } | { readonly mustBe: string };
