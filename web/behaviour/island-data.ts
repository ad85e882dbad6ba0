/** The data that the server has written into an island. */
export const dataOf = <T>(root: HTMLElement): T =>
  JSON.parse(root.querySelector('script[type="application/json"]')?.textContent ?? '{}')

/** Asks the site itself. On plain http browsers do not say where a GET comes from; no other origin can send our header. */
export async function askSite<T>(path: string, signal?: AbortSignal): Promise<T> {
  const response = await fetch(path, { headers: { 'x-terrace-page': '1' }, ...(signal && { signal }) })
  if (!response.ok) throw new Error(`${response.status}`)
  return response.json()
}
