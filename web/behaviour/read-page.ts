/**
 * Reads a page of the site as a document; undefined if it cannot be had. `DOMParser` takes text, which our policy refuses
 * (Trusted Types); a request that is answered with a document is parsed by the browser, and no script of it runs.
 */
export const readPage = async (path: string): Promise<Document | undefined> => {
  const { status, responseXML } = await requestPage('GET', path)
  return status === 200 ? (responseXML ?? undefined) : undefined
}

/** Sends a form as the browser does, and reads the page that it leads to; undefined if there is no answer. */
export async function sendForm(form: HTMLFormElement): Promise<Document | undefined> {
  const fields = [...new FormData(form)].map(([name, value]) => [name, String(value)])
  return (await requestPage('POST', addressOf(form), new URLSearchParams(fields))).responseXML ?? undefined
}

/** `form.action` is a field, where a form has one of that name. */
const addressOf = (form: HTMLFormElement) => form.getAttribute('action') ?? location.href

/** A request that fails has the status 0. */
export function requestPage(method: string, path: string, body?: URLSearchParams): Promise<XMLHttpRequest> {
  const { promise, resolve } = Promise.withResolvers<XMLHttpRequest>()
  const request = new XMLHttpRequest()
  request.open(method, path)
  request.responseType = 'document'
  request.addEventListener('loadend', () => resolve(request))
  request.send(body)
  return promise
}
