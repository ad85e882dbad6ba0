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

const has = (selector: string) => document.querySelector(selector) !== null

if (has('[data-copy]')) void import('./behaviour/copy.ts').then((copying) => copying.startCopying())
if (has('[data-share]')) void import('./behaviour/sharing.ts').then((each) => each.startSharing())
if (has('[data-placeholder]'))
  void import('./behaviour/placeholders.ts').then((each) => each.startPlaceholders())
if (has('[data-full-screen]'))
  void import('./behaviour/full-screen.ts').then((each) => each.startFullScreen())
if (has('[data-passkey]')) void import('./behaviour/passkeys.ts').then((each) => each.startPasskeys())
// Buttons with `commandfor` open and close dialogs; browsers before 2026 need a script for it.
if (!('commandForElement' in HTMLButtonElement.prototype))
  void import('./behaviour/dialogs.ts').then((dialogs) => dialogs.startDialogs())
if (hasUndo()) void import('./behaviour/undo.ts').then((undo) => undo.showKept())
startSessionCheck()
startKeys()
startIslands()
startUploads()
