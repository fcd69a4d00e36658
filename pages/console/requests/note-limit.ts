/** Code points of a review note; the API decides. */
export const NOTE_MAX = 2000;
