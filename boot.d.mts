export const PRODUCTION_FLAGS: string[]
