/**
 * The hosts that a rule of Traefik matches. Its syntax is read as Traefik reads it: matchers with arguments in
 * backticks or quotes, joined by && and ||, negated and grouped. What is more than one Host has no list of hosts.
 */
export function hostsOfRule(rule: string): string[] {
  const tokens = [...rule.matchAll(/\s*(\w+|&&|\|\||[!(),]|`[^`]*`|"[^"]*"|\S)/g)].map(
    ([, token = '']) => token,
  )
  const [name, open, argument = '', close, ...rest] = tokens
  if (name !== 'Host' || open !== '(' || close !== ')' || rest.length > 0 || !/^`.+`$/.test(argument))
    throw new Error(`The rule is more than one Host: ${rule}`)
  return [argument.slice(1, -1)]
}
