// The last response with an error, whose ID the palette copies.

export const lastError: { requestId: string | undefined } = { requestId: undefined };
