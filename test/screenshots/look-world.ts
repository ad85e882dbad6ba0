import { type Album, createAlbum, createCategory } from '../../src/media/index.ts'
import { type ChangingSite, changeSettings } from '../../src/site/index.ts'

interface Drawing {
  name: string
  width: number
  height: number
  colour: string
}

export type Upload = (drawing: Drawing, fields: Record<string, string>) => Promise<unknown>

const colours = ['#e0875c', '#8fb0a0', '#7d9cc0', '#cfae6a', '#b97a8f', '#6f9bb0', '#c9a27e', '#93a06a']
const sizes = [
  [1_200, 800],
  [800, 1_000],
  [1_000, 1_000],
  [1_600, 700],
  [900, 600],
  [700, 1_050],
  [1_200, 900],
] as const
const places = ['Quay', 'Ferry', 'Gulls', 'Lantern', 'Slipway', 'Breakwater', 'Nets', 'Low tide', 'Boathouse']

/** Lists of every sort: an album with files and an album in it, tags, a category, and a page that is not the last. */
export async function seedLook(
  site: ChangingSite,
  upload: Upload,
  listed: number,
): Promise<{ album: Album }> {
  await changeSettings(site, new Map([['listing', 'public']]))
  const category = await createCategory(site, { name: 'Seascapes', description: 'Water, boats and weather.' })
  const make = (title: string, privacy: 'public' | 'link') =>
    createAlbum(site, { username: 'ada', title, privacy })
  const album = await make('Along the quay', 'public')
  await make('Sketches for the exhibition', 'link')
  for (let at = 0; at < listed; at += 1) {
    const [width, height] = sizes[at % sizes.length] ?? [1_200, 800]
    const title = `${places[at % places.length]} ${at + 1}`
    const fields = {
      title,
      tags: at % 3 === 0 ? 'harbour, boats' : 'harbour',
      category_id: String(category.id),
      ...(at % 4 === 0 && { album_id: album.id }),
      ...(at === 6 && { nsfw: '1' }),
    }
    await upload(
      {
        name: `file-${at}`,
        width: width / 2,
        height: height / 2,
        colour: colours[at % colours.length] ?? '',
      },
      fields,
    )
  }
  return { album }
}
