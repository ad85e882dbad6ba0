/** Ranges that are not public unicast, written down apart from the rule that is tested. */
export const SPECIAL_4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
  '168.63.129.16/32',
]

export const SPECIAL_6 = [
  '::/128',
  '::1/128',
  '::/96',
  '::ffff:0:0/96',
  '::ffff:0:0:0/96',
  '64:ff9b::/96',
  '64:ff9b:1::/48',
  '100::/64',
  '2001::/23',
  '2001::/32',
  '2001:10::/28',
  '2001:20::/28',
  '2001:db8::/32',
  '2002::/16',
  '3fff::/20',
  '5f00::/16',
  'fc00::/7',
  'fe80::/10',
  'fec0::/10',
  'ff00::/8',
  '::/3',
  '4000::/2',
  '8000::/1',
]

export const textOf4 = (number: number): string =>
  [24, 16, 8, 0].map((shift) => (number >>> shift) & 255).join('.')

export const textOf6 = (number: bigint): string =>
  Array.from({ length: 8 }, (_, group) => ((number >> BigInt(112 - 16 * group)) & 0xffffn).toString(16)).join(
    ':',
  )

/** The first, second, middle, last but one and last address of a range. */
export function edgesOf(range: string): string[] {
  const [address = '', prefix] = range.split('/')
  const isFour = address.includes('.')
  const first = isFour ? number4(address) : number6(address)
  const count = 2n ** BigInt((isFour ? 32 : 128) - Number(prefix))
  const steps = new Set(
    [0n, 1n, count / 2n, count - 2n, count - 1n].filter((step) => step >= 0n && step < count),
  )
  return [...steps].map((step) => (isFour ? textOf4(Number(first + step)) : textOf6(first + step)))
}

export const number4 = (address: string): bigint =>
  address.split('.').reduce((sum, byte) => sum * 256n + BigInt(byte), 0n)

function number6(address: string): bigint {
  const [head = '', tail] = address.split('::')
  const groups = (text = '') => text.split(':').filter((group) => group !== '')
  const zeros = tail === undefined ? 0 : 8 - groups(head).length - groups(tail).length
  const all = [...groups(head), ...Array.from({ length: zeros }, () => '0'), ...groups(tail)]
  return all.reduce((sum, group) => sum * 65_536n + BigInt(`0x${group}`), 0n)
}
