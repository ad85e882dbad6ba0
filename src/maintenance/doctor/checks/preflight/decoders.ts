import { layerTexts, startImaging } from '../../../../imaging/index.ts'
import { Refusal } from '../../../../lib/refusal.ts'
import type { Preflight } from '../../check.ts'
import type { Note } from '../../finding.ts'

/** Starts a decoder as the server does, unless one runs already, and names the sandbox layers that this machine refuses. */
export async function checkDecoders({ imaging }: Preflight, note: Note): Promise<void> {
  await using own = imaging ? undefined : startImaging({ children: 1 })
  try {
    const confinement = await (imaging ?? own)?.confinement()
    for (const layer of confinement?.missing ?? []) {
      const says = `A decoder ${layerTexts[layer]}: this machine refuses the sandbox layer.`
      await note({ isFault: false, key: layer, says, todo: advice })
    }
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    const says = `No decoder starts: ${String(error.cause ?? error.message).trim()}`
    await note({ isFault: true, key: 'decoder', says, todo: 'Uploads are refused until one does.' })
  }
}

const advice = 'See "Sandbox of decoders" in docs/operations.md.'
