/** On every page of the console, besides `start.ts`: its search, forms that are sent once, lists that are filtered as one types, and long work. */
import { startFinding } from './behaviour/find.ts'
import { startSendingOnce } from './behaviour/send-once.ts'

startFinding()
startSendingOnce()
if (document.querySelector('[data-work]'))
  void import('./behaviour/work.ts').then((each) => each.startWatching())
addEventListener('focusin', ({ target }) => {
  if (target instanceof HTMLInputElement && target.form?.dataset.filter !== undefined)
    void import('./behaviour/filter.ts').then((each) => each.startFilter(target))
})
