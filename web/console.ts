/** On every page of the console, besides `start.ts`: its search, lists that are filtered as one types, and long work. */
import { startFinding } from './behaviour/find.ts'

startFinding()
if (document.querySelector('[data-work]'))
  void import('./behaviour/work.ts').then((each) => each.startWatching())
addEventListener('focusin', ({ target }) => {
  if (target instanceof HTMLInputElement && target.form?.dataset.filter !== undefined)
    void import('./behaviour/filter.ts').then((each) => each.startFilter(target))
})
