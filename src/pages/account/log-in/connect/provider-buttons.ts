import type { Provider } from '../../../../accounts/index.ts'
import { type Html, html } from '../../../../lib/html.ts'
import { linkButton } from '../../../../ui/parts/controls.ts'

interface Buttons {
  label: (title: string) => string
  /** Where the log-in leads. */
  to: string
}

/** Links, not forms: the policy of the pages stops a form that ends at another site. */
export function providerButtons(
  providers: readonly Pick<Provider, 'name' | 'title'>[],
  { label, to }: Buttons,
): Html | undefined {
  if (providers.length === 0) return undefined
  const links = providers.map(({ name, title }) =>
    linkButton(label(title), connectPath(name, to), { look: 'plain', more: { dir: 'auto' } }),
  )
  return html`<p class="actions">${links}</p>`
}

export const connectPath = (name: string, to: string): string =>
  to === '/' ? `/connect/${name}` : `/connect/${name}?to=${encodeURIComponent(to)}`
