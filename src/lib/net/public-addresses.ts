import { BlockList, isIPv4, isIPv6 } from 'node:net'

/** IPv4 ranges that are not public unicast, by IANA's registry of special purposes. */
const SPECIAL_4 = [
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
  // Looks public, but is the agent that every virtual machine of Azure finds on its own host.
  '168.63.129.16/32',
]

// Whatever wraps an IPv4 address (mapped, compatible, NAT64) is outside, so that nothing has to be unwrapped.
const GLOBAL_6 = ['2000::/3']

/** Protocol assignments with Teredo, documentation, 6to4, documentation, segment routing. */
const SPECIAL_6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20', '5f00::/16']

const special4 = blockListOf(SPECIAL_4, 'ipv4')
const global6 = blockListOf(GLOBAL_6, 'ipv6')
const special6 = blockListOf(SPECIAL_6, 'ipv6')

/** Whether the address is a public unicast address. */
export function isPublicUnicast(address: string): boolean {
  if (isIPv4(address)) return !special4.check(address, 'ipv4')
  // A zone id means a link of this machine.
  if (!isIPv6(address) || address.includes('%')) return false
  return global6.check(address, 'ipv6') && !special6.check(address, 'ipv6')
}

function blockListOf(ranges: readonly string[], family: 'ipv4' | 'ipv6'): BlockList {
  const list = new BlockList()
  for (const range of ranges) {
    const [address = '', prefixBits] = range.split('/')
    list.addSubnet(address, Number(prefixBits), family)
  }
  return list
}
