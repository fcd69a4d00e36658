// Second factors.

export const secondFactors = "";
