export const PRODUCTION_FLAGS: string[]
export function handOver(words: readonly string[]): Promise<void>
