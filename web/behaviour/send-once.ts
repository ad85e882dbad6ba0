/** Longer than any answer takes: then the form may be sent again, such as after a broken connection. */
const waitMs = 10_000

/**
 * A second click, before the answer is there, sends nothing: it would have the browser drop the first answer, and with it a
 * key, a link or a password that is shown once.
 */
export function startSendingOnce(): void {
  let sent = new WeakMap<HTMLFormElement, number>()
  addEventListener('submit', (event) => {
    const { target: form } = event
    // A script may have taken it, such as for a passkey.
    if (event.defaultPrevented || !(form instanceof HTMLFormElement) || form.method !== 'post') return
    const last = sent.get(form)
    if (last !== undefined && event.timeStamp - last < waitMs) event.preventDefault()
    else sent.set(form, event.timeStamp)
  })
  // Back from another page: the form may be sent anew.
  addEventListener('pageshow', () => {
    sent = new WeakMap()
  })
}
