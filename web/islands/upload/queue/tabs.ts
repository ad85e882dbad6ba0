import { newId } from './row.ts'

const answerMs = 250

export interface Tabs {
  /** Names this page. */
  id: string
  /** Pages that are open at the same time: their rows are theirs to send. */
  others(): Promise<ReadonlySet<string>>
  /** From now on its rows are for other pages to send. */
  close(): void
}

/** Pages of one browser ask each other; one that was left does not answer. */
export function openTabs(): Tabs {
  const id = newId()
  const found = new Set<string>()
  const channel = new BroadcastChannel('terrace-uploads')
  channel.onmessage = ({ data }: MessageEvent<{ from: string; isQuestion: boolean }>) => {
    found.add(data.from)
    if (data.isQuestion) channel.postMessage({ from: id, isQuestion: false })
  }
  return {
    id,
    async others() {
      found.clear()
      channel.postMessage({ from: id, isQuestion: true })
      await new Promise((resolve) => setTimeout(resolve, answerMs))
      return found
    },
    close: () => channel.close(),
  }
}
