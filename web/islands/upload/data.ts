import type { RefusalBody, UploadData } from '../../../src/common/wire.ts'

/** From the upload page itself; on other pages from the server, which may refuse. */
export async function readData(
  page: HTMLElement | null,
): Promise<{ data: UploadData } | { refusal: string }> {
  const block = page?.querySelector('script[type="application/json"]')
  if (block) return { data: JSON.parse(block.textContent ?? '') }
  // Files that are dropped on the page of an album go into it.
  const [, album] = /^\/album\/(?:.*\.)?([A-Za-z0-9]+)$/.exec(location.pathname) ?? []
  const path = album === undefined ? '/-/upload' : `/-/upload?album=${album}`
  const answer = await fetch(path, { headers: { Accept: 'application/json', 'X-Terrace-Page': '1' } })
  const body: UploadData | RefusalBody = await answer.json()
  if ('error' in body) return { refusal: body.error.message }
  return { data: body }
}

/** Pages that show other things than the queue get its stylesheet with its first row. */
export function loadStyles({ styles }: UploadData): void {
  if (document.querySelector(`link[href="${styles}"]`)) return
  const link = document.createElement('link')
  link.rel = 'stylesheet'
  link.href = styles
  document.head.append(link)
}
