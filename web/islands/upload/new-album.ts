import type { RefusalBody, UploadData } from '../../../src/common/wire.ts'

type Made = { id: string; title: string } | { refusal: string }

/** "One album for these": made before the first file is sent. */
export async function createAlbum(data: UploadData, title: string): Promise<Made> {
  try {
    const answer = await fetch('/api/5/albums', {
      method: 'POST',
      headers: {
        Accept: 'application/json',
        'Content-Type': 'application/json',
        'X-Terrace-Page': '1',
        ...(data.csrf !== null && { 'X-CSRF-Token': data.csrf }),
      },
      body: JSON.stringify({ title }),
    })
    const body: { id: string; title: string } | RefusalBody = await answer.json()
    return 'error' in body ? { refusal: body.error.message } : body
  } catch {
    return { refusal: data.words.noConnection }
  }
}
