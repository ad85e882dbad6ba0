/** On every page, which works without it: keys, islands, uploads; the rest is loaded where a page needs it. */
import { startIslands } from './behaviour/islands.ts'
import { startKeys } from './behaviour/keys.ts'
import { startSessionCheck } from './behaviour/sessions.ts'
import { startUploads } from './behaviour/uploads.ts'

/** A way back that the page before has left; storage may be forbidden. */
function hasUndo(): boolean {
  try {
    return sessionStorage.getItem('terrace-undo') !== null
  } catch {
    return false
  }
}

/** The policy of our pages allows this one policy of trusted types, once: it gives out one address. */
function startWorker(): void {
  const path = '/service-worker.js'
  if (!navigator.serviceWorker || !has('[rel=manifest]')) return
  const { trustedTypes } = window as Window & { trustedTypes?: TrustedTypes }
  const policy = trustedTypes?.createPolicy('terrace-worker', { createScriptURL: () => path })
  navigator.serviceWorker.register(policy?.createScriptURL(path) ?? path).catch(() => undefined)
}

interface TrustedTypes {
  createPolicy(
    name: string,
    rules: { createScriptURL: () => string },
  ): { createScriptURL: (path: string) => string }
}

const has = (selector: string) => document.querySelector(selector) !== null

// The page of a file starts its own.
if (has('[data-copy]:not(.viewer *)'))
  void import('./behaviour/copy.ts').then((copying) => copying.startCopying())
if (has('[data-placeholder]:not(.viewer *)'))
  void import('./behaviour/placeholders.ts').then((each) => each.startPlaceholders())
if (has('[data-passkey]')) void import('./behaviour/passkeys.ts').then((each) => each.startPasskeys())
// Buttons with `commandfor` open and close dialogs; browsers before 2026 need a script for it.
if (!('commandForElement' in HTMLButtonElement.prototype))
  void import('./behaviour/dialogs.ts').then((dialogs) => dialogs.startDialogs())
if (hasUndo()) void import('./behaviour/undo.ts').then((undo) => undo.showKept())
if (has('[data-shares]')) void import('./behaviour/sharing.ts').then((each) => each.startShares())
for (const link of document.querySelectorAll('a[data-share]')) link.ariaHasPopup = 'dialog'
// The code of the dialog comes with the first click.
document.addEventListener('click', (event) => {
  const link =
    event.target instanceof Element ? event.target.closest<HTMLAnchorElement>('a[data-share]') : null
  const hasModifier = event.ctrlKey || event.metaKey || event.shiftKey || event.altKey
  if (!link || event.defaultPrevented || hasModifier) return
  event.preventDefault()
  import('./behaviour/sharing.ts').then(
    (sharing) => sharing.openShares(link),
    () => location.assign(link.href),
  )
})
addEventListener('focusin', ({ target }) => {
  if (target instanceof HTMLInputElement && target.form?.dataset.suggest !== undefined)
    void import('./behaviour/suggest.ts').then((each) => each.startSuggesting(target))
})
startSessionCheck()
startKeys()
startIslands()
startUploads()
startWorker()
