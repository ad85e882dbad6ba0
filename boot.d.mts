export const PRODUCTION_ENVIRONMENT: Readonly<Record<string, string>>
export const PRODUCTION_FLAGS: string[]
export function handOver(words: readonly string[]): Promise<void>
