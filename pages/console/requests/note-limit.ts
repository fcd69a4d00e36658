/** Code points of a review note; enforced by the API. */
export const NOTE_MAX = 2000;
