/** Names as long as they may be, without a place to break. */
export const longest = {
  id: `averylongname${'w'.repeat(51)}`,
  plan: 'p'.repeat(64),
  hostname: `${'h'.repeat(63)}.${'o'.repeat(63)}.${'s'.repeat(63)}.${'t'.repeat(56)}.test`,
  key: 'K'.repeat(100),
  operator: 'N'.repeat(32),
}
