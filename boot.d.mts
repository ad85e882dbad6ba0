export const PRODUCTION_FLAGS: string[]
export function handOver(args: readonly string[]): Promise<void>
